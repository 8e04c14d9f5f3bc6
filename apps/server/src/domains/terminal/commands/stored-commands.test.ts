import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditor, type DomainServer, openDomainServer } from '../../../../test/domain-server.ts'

const ORG = '00000000-0000-0000-0000-000000000002'
/** More than are looked through before an index is asked. */
const NEWER = 12_000
let server: DomainServer
let storage: string

beforeAll(async () => {
  server = await openDomainServer()
  const { body } = await server.call('GET', '/api/v1/terminal/command-storages/tree/', undefined, auditor)
  storage = body.find(({ name }: { name: string }) => name.startsWith('default')).id
  const columns = 'org_id, "user", asset, "system_user", input, session, risk_level, timestamp'
  // Long ago: what is looked for. Then what everybody types.
  await server.pool.query(
    `INSERT INTO terminal_command (${columns}) VALUES
      ($1, 'Eve(eve)', 'vault', 'root', 'reboot xyzzy', gen_random_uuid()::text, 0, 1000),
      ($1, 'Ann(ann)', 'vault', 'root', 'echo XYZZY again', gen_random_uuid()::text, 5, 1001),
      ('11111111-1111-4111-8111-111111111111', 'Eve(eve)', 'vault', 'root', 'xyzzy of others', gen_random_uuid()::text, 0, 1002)`,
    [ORG],
  )
  const statement = await server.pool.query(
    `INSERT INTO terminal_command (${columns}) VALUES ($1, 'Bob(bob)', 'db', 'app', 'SELECT', gen_random_uuid()::text, 0, 1003) RETURNING id`,
    [ORG],
  )
  await server.pool.query(`INSERT INTO terminal_statement (command, text, bytes) VALUES ($1, 'SELECT xyzzy', 12)`, [
    statement.rows[0].id,
  ])
  await server.pool.query(
    `INSERT INTO terminal_command (${columns})
     SELECT $1, 'Bob(bob)', 'web', 'root', CASE i % 3 WHEN 0 THEN 'systemctl status nginx' ELSE 'ls -la' END, gen_random_uuid()::text, 0, 2000 + i
     FROM generate_series(1, $2::int) i`,
    [ORG, NEWER],
  )
})
afterAll(() => server?.close())

async function found(filters: Record<string, string | number>, page = { limit: 10, offset: 0 }) {
  const query = new URLSearchParams({ command_storage_id: storage })
  for (const [name, value] of Object.entries({ order: '-timestamp', ...page, ...filters }))
    query.set(name, String(value))
  const { status, body } = await server.call('GET', `/api/v1/terminal/commands/?${query}`, undefined, auditor)
  expect([status, body]).toEqual([200, expect.anything()])
  return { count: body.count as number, times: body.results.map(({ timestamp }: { timestamp: number }) => timestamp) }
}

test('[A1.13] a command typed long ago is found behind thousands of newer ones, statements by their whole text', async () => {
  expect(await found({ input: 'xyzzy' })).toEqual({ count: 3, times: [1003, 1001, 1000] })
  expect(await found({ input: 'xyzzy', order: 'timestamp' })).toEqual({ count: 3, times: [1000, 1001, 1003] })
  expect(await found({ input: 'xyzzy' }, { limit: 1, offset: 1 })).toEqual({ count: 3, times: [1001] })
  expect(await found({ input: 'xyzzy', user: 'eve' })).toEqual({ count: 1, times: [1000] })
  expect(await found({ input: 'xyzzy', risk_level: 5 })).toEqual({ count: 1, times: [1001] })
  expect(await found({ input: 'xyzzy', date_from: 1001, date_to: 1002 })).toEqual({ count: 1, times: [1001] })
  expect(await found({ input: 'plugh' })).toEqual({ count: 0, times: [] })
  expect(await found({ input: 'x%y' })).toEqual({ count: 0, times: [] })
})

test('a text of many words is found as a whole: the index is asked for some of them alone', async () => {
  expect(await found({ input: 'CHO xyzzy agai' })).toEqual({ count: 1, times: [1001] })
  for (const input of ['again xyzzy echo', 'echo xyzzy  again', 'echo xyzzy_again', 'echo-xyzzy-again'])
    expect(await found({ input })).toEqual({ count: 0, times: [] })
  expect(await found({ input: 'elect XYZZY' })).toEqual({ count: 1, times: [1003] })
})

test('a person and a machine of long ago are found as well', async () => {
  expect(await found({ user: 'EVE' })).toEqual({ count: 1, times: [1000] })
  expect(await found({ asset: 'vault' })).toEqual({ count: 2, times: [1001, 1000] })
  expect(await found({ system_user: 'app' })).toEqual({ count: 1, times: [1003] })
})

test('a frequent match yields the newest, in order, and its count ends at a thousand', async () => {
  const newest = [...Array(10).keys()].map((n) => 2000 + NEWER - 3 * n)
  expect(await found({ input: 'nginx' })).toEqual({ count: 1000, times: newest })
  expect(await found({ input: 'nginx' }, { limit: 5, offset: 5 })).toEqual({ count: 1000, times: newest.slice(5) })
  expect((await found({ user: 'bob' })).count).toBe(NEWER + 1)
  const session = await server.pool.query('SELECT session FROM terminal_command WHERE timestamp = 2003')
  expect(await found({ session_id: session.rows[0].session, input: 'nginx' })).toEqual({ count: 1, times: [2003] })
})

test('without a filter all are counted, and the newest come first', async () => {
  expect(await found({}, { limit: 2, offset: 0 })).toEqual({ count: NEWER + 3, times: [2000 + NEWER, 1999 + NEWER] })
  expect(await found({ risk_level: 5 })).toEqual({ count: 1, times: [1001] })
})

test('an export has every command that matches, however many', async () => {
  const query = new URLSearchParams({ command_storage_id: storage, input: 'nginx', format: 'csv' })
  const { raw } = await server.call('GET', `/api/v1/terminal/commands/?${query}`, undefined, auditor)
  expect(raw.toString().trimEnd().split('\n')).toHaveLength(NEWER / 3 + 1)
})

// The last: it has the table grow.
test('a text that no index finds is refused where there are too many commands to look through, unless they are narrowed', async () => {
  expect(await found({ input: 'qz' })).toEqual({ count: 0, times: [] })
  await server.pool.query(`ALTER TABLE terminal_command DISABLE TRIGGER USER;
    INSERT INTO terminal_command (org_id, "user", asset, "system_user", input, session, timestamp)
      SELECT '${ORG}', 'Bob(bob)', 'web', 'root', 'ls', 'a session', 20000 + i FROM generate_series(1, 100000) i;
    ALTER TABLE terminal_command ENABLE TRIGGER USER`)
  const ask = (filters: string) =>
    server.call(
      'GET',
      `/api/v1/terminal/commands/?command_storage_id=${storage}&limit=10&offset=0&${filters}`,
      undefined,
      auditor,
    )
  const refused = await ask('input=qz')
  expect([refused.status, refused.body]).toEqual([400, { input: [expect.stringContaining('Too many commands')] }])
  expect((await ask('input=ls')).body.count).toBe(1000)
  expect((await ask('input=qz&user=eve')).body).toMatchObject({ count: 0, results: [] })
  expect((await ask('input=qzx')).body).toMatchObject({ count: 0, results: [] })
  const tree = await server.call('GET', '/api/v1/terminal/command-storages/tree/?input=qz', undefined, auditor)
  expect(tree.status).toBe(200)
})
