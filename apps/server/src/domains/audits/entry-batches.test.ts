import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { chainMovedCommands, forgetWithEntries } from './entries.ts'
import { signRoot } from './roots.ts'
import { openVerified, type Verified } from './verifier-fixture.ts'

const ORG = '00000000-0000-0000-0000-000000000002'
const DAY = 86_400
let audits: Verified
let query: Verified['pool']['query']

beforeAll(async () => {
  audits = await openVerified()
  query = audits.pool.query.bind(audits.pool) as typeof query
})
afterAll(() => audits?.close())

/** Commands that are stored together, each with its statement, some seconds ago. */
async function storeTogether(inputs: readonly string[], ago: (n: number) => number = () => 0): Promise<void> {
  const seconds = Math.floor(Date.now() / 1000)
  const { rows } = await query(
    `INSERT INTO terminal_command (org_id, "user", asset, "system_user", input, session, timestamp)
     SELECT $1, 'Ann(ann)', 'shop', 'root', input, 'one', at FROM unnest($2::text[], $3::bigint[]) AS one (input, at) RETURNING id`,
    [ORG, inputs, inputs.map((_, n) => seconds - ago(n))],
  )
  await query(
    'INSERT INTO terminal_statement (command, text, bytes) SELECT id, input, 8 FROM terminal_command WHERE id = ANY($1)',
    [rows.map(({ id }) => id)],
  )
}
const sign = async () => {
  await signRoot(audits.kernel)
  await audits.keepRoots()
}
const findings = async () => (await audits.verified('command')).findings

beforeEach(async () => {
  await query('TRUNCATE terminal_command, audits_command_entry, audits_chain, audits_root CASCADE')
  await storeTogether(['select 1', 'select 2', 'select 3'])
  await sign()
})

test('commands that are stored together have one entry, and their statements another', async () => {
  const { rows } = await query(
    'SELECT kind, cardinality(string_to_array(body, chr(10))) AS length FROM audits_command_entry ORDER BY kind',
  )
  expect(rows).toEqual([
    { kind: 'commands', length: 3 },
    { kind: 'statements', length: 3 },
  ])
  expect(await findings()).toEqual(['command: 2 rows hold, signed up to row 2'])
  const { rows: stored } = await query('SELECT count(*)::int FROM audits_command_entry WHERE chain_number IS NOT NULL')
  expect(stored).toEqual([{ count: 2 }])
})

test.each([
  [
    'a command is changed',
    "UPDATE terminal_command SET input = 'ls' WHERE input = 'select 2'",
    /command \S+ was changed \(row 1\)/,
  ],
  [
    'a statement is changed',
    "UPDATE terminal_statement SET text = 'ls' WHERE text = 'select 2'",
    /statement \S+ was changed \(row 2\)/,
  ],
  [
    'a command is removed',
    "DELETE FROM terminal_command WHERE input = 'select 3'",
    /command \S+ was removed \(row 1\)/,
  ],
  [
    'a statement is removed',
    "DELETE FROM terminal_statement WHERE text = 'select 3'",
    /statement \S+ was removed \(row 2\)/,
  ],
  [
    'the entry says less',
    "UPDATE audits_command_entry SET body = split_part(body, chr(10), 1) WHERE kind = 'commands'",
    /row 1 was changed, or put in the place of another/,
  ],
  ['the entry says nothing', "UPDATE audits_command_entry SET body = '' WHERE kind = 'commands'", /row 1 was changed/],
  [
    'a command is put in unseen',
    `ALTER TABLE terminal_command DISABLE TRIGGER USER;
     INSERT INTO terminal_command (org_id, "user", asset, "system_user", input, session, timestamp)
       SELECT org_id, "user", asset, "system_user", 'forged', session, timestamp FROM terminal_command LIMIT 1;
     ALTER TABLE terminal_command ENABLE TRIGGER USER`,
    /command \S+ was inserted: nothing was chained of it/,
  ],
])('%s: the verifier names it', async (_, attack, found) => {
  await query(attack)
  expect(await findings()).toEqual([expect.stringMatching(found)])
})

test('another entry of several, as the product would chain it, excuses no changed command', async () => {
  await query("UPDATE terminal_command SET output = 'forged' WHERE input = 'select 2'")
  await query(
    `INSERT INTO audits_command_entry (kind, row_id, body, date) SELECT 'commands', e.row_id,
       string_agg(c.id || ' ' || c.timestamp || ' ' || encode(sha256(convert_to(jsonb_build_array(c.id, c.org_id, c."user",
         c.asset, c.system_user, c.input, c.output, c.session, c.risk_level, c.rule, c.rule_filter, c.ticket,
         c.timestamp)::text, 'UTF8')), 'hex'), chr(10)), now()
     FROM terminal_command c, audits_command_entry e WHERE e.kind = 'commands' GROUP BY e.row_id`,
  )
  await sign()
  expect(await findings()).toEqual([expect.stringMatching(/command \S+ was changed after it was written \(row 3\)/)])
})

test('retention removes some of an entry, and the entry once all of it went', async () => {
  await storeTogether(['old 1', 'old 2', 'new'], (n) => [9 * DAY, 7 * DAY, DAY][n] ?? 0)
  await storeTogether(['newer'])
  const forget = async (days: number) => {
    const before = Math.floor(Date.now() / 1000) - days * DAY
    await forgetWithEntries(audits.kernel, ['command'], new Date(before * 1000), async () => {
      await query('DELETE FROM terminal_command WHERE timestamp < $1', [before])
    })
    await audits.keepRoots()
  }
  await forget(8)
  expect(await findings()).toEqual([expect.stringMatching(/^command: 6 rows hold/)])
  await query("DELETE FROM terminal_command WHERE input = 'old 2'")
  expect(await findings()).toEqual([expect.stringMatching(/command \S+ was removed \(row 3\)/)])
  await forget(5)
  expect(await findings()).toEqual([expect.stringMatching(/^command: 6 rows hold/)])
})

test('a command of several that went to a storage outside is not taken for removed', async () => {
  const { rows } = await query("DELETE FROM terminal_command WHERE input = 'select 2' RETURNING id, timestamp::float8")
  await chainMovedCommands(audits.kernel, audits.db, randomUUID(), rows)
  await sign()
  expect(await findings()).toEqual(['command: 3 rows hold, signed up to row 3; 1 are in storages outside'])
})

test('old commands among several that come later are counted as late', async () => {
  await storeTogether(['in time', 'late', 'later'], (n) => [0, 3 * DAY, 4 * DAY][n] ?? 0)
  await sign()
  expect(await findings()).toEqual([
    'command: 4 rows hold, signed up to row 4; 2 came more than a day after their time, the first as row 3',
  ])
})
