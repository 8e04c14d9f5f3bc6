import { createHash, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runToEnd } from '../../../test/run-to-end.ts'
import { chainAmendedSessions, chainForgottenRuns, chainMovedCommands, forgetWithEntries } from './entries.ts'
import { signRoot } from './roots.ts'
import { type Deed, openVerified, VERIFIER, type Verified } from './verifier-fixture.ts'

const ORG = '00000000-0000-0000-0000-000000000002'
const LOGS = ['session', 'command', 'command_execution', 'ticket', 'task_run'] as const
const DAY = 86_400_000
const RECORDING = 'a recording'
let audits: Verified
let query: Verified['pool']['query']
let ended: string
let running: string
let sharing: string
let run: string
let ticket: string
let openTicket: string
let taskRun: string

beforeAll(async () => {
  audits = await openVerified()
  query = audits.pool.query.bind(audits.pool) as typeof query
})
afterAll(() => audits?.close())

const aSession = async (begun = new Date()) => {
  const { rows } = await query(
    `INSERT INTO terminal_session (org_id, "user", asset, "system_user", remote_addr, date_start) VALUES ($1, 'Ann(ann)', 'web', 'root', '192.0.2.7', $2) RETURNING id`,
    [ORG, begun],
  )
  return rows[0].id as string
}
const aCommand = async (session: string, input: string, at = new Date()) => {
  const { rows } = await query(
    `INSERT INTO terminal_command (org_id, "user", asset, "system_user", input, output, session, timestamp) VALUES ($1, 'Ann(ann)', 'web', 'root', $2, 'ü "out"', $3, extract(epoch FROM $4::timestamptz)::bigint) RETURNING id, timestamp::float8`,
    [ORG, input, session, at],
  )
  return rows[0] as { id: string; timestamp: number }
}

/** Somebody who joins by the link of the running session; they are there until they leave. */
const aJoin = async (who: string, left?: Date) => {
  const { rows } = await query(
    `INSERT INTO terminal_session_join_record (org_id, session, sharing, joiner_display, verify_code, is_finished, date_left)
     VALUES ($1, $2, $3, $4, 'abcd', $5, $6) RETURNING id`,
    [ORG, running, sharing, who, left !== undefined, left],
  )
  return rows[0].id as string
}

/** The holder of the database also stops the triggers that record changes. */
const unseen = (table: string, statement: string) =>
  `ALTER TABLE ${table} DISABLE TRIGGER USER; ${statement}; ALTER TABLE ${table} ENABLE TRIGGER USER`

beforeEach(async () => {
  await query(
    `TRUNCATE terminal_session, terminal_command, ops_command_execution, tickets_ticket, ops_adhoc_execution, audits_session_entry,
       audits_command_entry, audits_execution_entry, audits_ticket_entry, audits_run_entry, audits_chain, audits_root CASCADE`,
  )
  ended = await aSession()
  await query(`INSERT INTO terminal_session_event (org_id, session, event) VALUES ($1, $2, 'locked')`, [ORG, ended])
  const sum = createHash('sha256').update(RECORDING).digest('hex')
  await query('UPDATE terminal_session SET has_replay = true, replay_sha256 = $2 WHERE id = $1', [ended, sum])
  await query('UPDATE terminal_session SET is_finished = true, date_end = now() WHERE id = $1', [ended])
  running = await aSession()
  await aCommand(ended, 'ls')
  const { id } = await aCommand(ended, 'select 1')
  await query(`INSERT INTO terminal_statement (command, text, bytes, milliseconds) VALUES ($1, 'select 1', 8, 0.1)`, [
    id,
  ])
  run = randomUUID()
  await query(
    `INSERT INTO ops_command_execution (id, org_id, user_id, run_as, command) VALUES ($1, $2, $2, $2, 'uptime')`,
    [run, ORG],
  )
  await query(
    `INSERT INTO ops_command_execution_host (execution, asset, name) VALUES ($1, $2, 'web-1'), ($1, uuidv7(), 'web-2')`,
    [run, ORG],
  )
  await query(`UPDATE ops_command_execution_host SET state = 'success', code = 0, stdout = 'up' WHERE execution = $1`, [
    run,
  ])
  await query('UPDATE ops_command_execution SET is_finished = true, date_finished = now() WHERE id = $1', [run])
  ticket = await aTicket()
  openTicket = await anAmendedTicket()
  taskRun = await aTaskRun()
  await signRoot(audits.kernel)
  await audits.keepRoots()
})

/** Opened by somebody, amended by another, who then approved it and said so. */
async function aTicket(): Promise<string> {
  const id = await anAmendedTicket()
  await query(
    `UPDATE tickets_ticket SET state = 'approved', status = 'closed', process_map = '[{"state": "approved"}]' WHERE id = $1`,
    [id],
  )
  await query(
    `INSERT INTO tickets_comment (ticket, user_display, action) VALUES ($1, 'Ann(ann)', 'open'), ($1, 'Bob(bob)', 'amended'),
       ($1, 'Bob(bob)', 'approved')`,
    [id],
  )
  return id
}

/** Opened by somebody, amended by another, and waiting. */
async function anAmendedTicket(): Promise<string> {
  const id = randomUUID()
  await query(
    `INSERT INTO tickets_ticket (id, title, type, applicant_display, org_id, serial_num, process_map)
     VALUES ($1, 'Access to web', 'general', 'Ann(ann)', $2, $3, '[{"state": "notified"}]')`,
    [id, ORG, id],
  )
  await query(`UPDATE tickets_ticket SET amended = '{"apply_assets": ["web-1"]}' WHERE id = $1`, [id])
  return id
}

/** A run of a task, over on two machines. */
async function aTaskRun(): Promise<string> {
  const id = randomUUID()
  await query(`INSERT INTO ops_adhoc_execution (id, org_id, task_display, hosts_amount) VALUES ($1, $2, 'Test', 2)`, [
    id,
    ORG,
  ])
  await query(
    `INSERT INTO ops_adhoc_execution_host (execution, asset, name, is_success, results)
     VALUES ($1, $2, 'web-1', true, '{"ping": {"ok": true}}'), ($1, uuidv7(), 'web-2', false, '{"ping": {"ok": false}}')`,
    [id, ORG],
  )
  await query('UPDATE ops_adhoc_execution SET is_finished = true, date_finished = now() WHERE id = $1', [id])
  return id
}

test('sessions, commands, batch commands, tickets and runs hold by the verifier, while they run, and after a heartbeat', async () => {
  await query('UPDATE terminal_session SET date_last_active = now(), is_locked = true WHERE id = $1', [running])
  expect(await audits.verified(...LOGS)).toEqual({
    code: 0,
    findings: [
      'session: 4 rows hold, signed up to row 4',
      'command: 3 rows hold, signed up to row 3',
      'command_execution: 4 rows hold, signed up to row 4',
      'ticket: 8 rows hold, signed up to row 8',
      'task_run: 4 rows hold, signed up to row 4',
    ],
  })
})

test('sessions with a link that was given, joined and left hold by the verifier; the deletion of a person is no change', async () => {
  await share()
  const guest = await aJoin('Gus(gus)')
  await aJoin('Eve(eve)', new Date())
  await signRoot(audits.kernel)
  await audits.keepRoots()
  await query('UPDATE terminal_session_join_record SET is_finished = true, date_left = now() WHERE id = $1', [guest])
  await query('UPDATE terminal_session_sharing SET is_active = false, creator = NULL')
  await query('UPDATE terminal_session_join_record SET joiner = NULL')
  await signRoot(audits.kernel)
  await audits.keepRoots()
  expect(await audits.verified('session')).toEqual({
    code: 0,
    findings: ['session: 8 rows hold, signed up to row 8'],
  })
})

const share = async () => {
  const { rows } = await query(
    `INSERT INTO terminal_session_sharing (org_id, session, verify_code, created_by) VALUES ($1, $2, 'abcd', 'Ann') RETURNING id`,
    [ORG, running],
  )
  sharing = rows[0].id
}

test('the verifier names what was done to shared sessions', async () => {
  await share()
  await aJoin('Gus(gus)')
  await signRoot(audits.kernel)
  await audits.keepRoots()
  const done: [statement: string, findings: RegExp][] = [
    [`UPDATE terminal_session_join_record SET joiner_display = 'Bob(bob)'`, /session_join \S+ was changed \(row 6\)/],
    ['DELETE FROM terminal_session_join_record', /session_join \S+ was removed \(row 6\)/],
    ['DELETE FROM terminal_session_sharing', /session_sharing \S+ was removed \(row 5\)/],
    ["UPDATE terminal_session_sharing SET action_permission = 'readonly'", /session_sharing \S+ was changed after it/],
    [
      unseen('terminal_session_sharing', "UPDATE terminal_session_sharing SET action_permission = 'readonly'"),
      /session_sharing \S+ was changed \(row 5\)/,
    ],
  ]
  const findings = await audits.verdicts(done.map(([statement]) => deed('session', statement)))
  expect(findings).toEqual(done.map(([, words]) => [expect.stringMatching(words)]))
})

const deed = (log: string, statement: string): Deed => ({ logs: [log], act: (db) => db.execute(sql.raw(statement)) })

const TAMPERINGS: [what: string, log: (typeof LOGS)[number], statement: () => string, findings: () => RegExp][] = [
  [
    'the person of a session that is over',
    'session',
    () => `UPDATE terminal_session SET "user" = 'Eve' WHERE id = '${ended}'`,
    () => RegExp(`session ${ended} was changed \\(row 3\\)`),
  ],
  [
    'the person of one that runs',
    'session',
    () => `UPDATE terminal_session SET "user" = 'Eve' WHERE id = '${running}'`,
    () => RegExp(`session ${running} was changed \\(row 4\\)`),
  ],
  [
    'the person of one that runs, which then ends as all do',
    'session',
    () =>
      `UPDATE terminal_session SET "user" = 'Eve' WHERE id = '${running}'; UPDATE terminal_session SET is_finished = true WHERE id = '${running}'`,
    () => RegExp(`session ${running} was changed after it began`),
  ],
  [
    'the checksum of a recording',
    'session',
    () => unseen('terminal_session', `UPDATE terminal_session SET replay_sha256 = 'x' WHERE id = '${ended}'`),
    () => RegExp(`session ${ended} was changed`),
  ],
  [
    'the checksum of a recording, which is chained as another one',
    'session',
    () => `UPDATE terminal_session SET replay_sha256 = 'x' WHERE id = '${ended}'`,
    () => RegExp(`session ${ended} was changed after it was over \\(row not chained yet\\)`),
  ],
  [
    'a session that is taken out',
    'session',
    () => `DELETE FROM terminal_session WHERE id = '${ended}'`,
    () => RegExp(`session ${ended} was removed \\(row 1\\)`),
  ],
  [
    'a session that is put in',
    'session',
    () =>
      unseen(
        'terminal_session',
        `INSERT INTO terminal_session (org_id, "user", asset, "system_user") VALUES ('${ORG}', 'Eve', 'web', 'root')`,
      ),
    () => /session \S+ was inserted: nothing was chained of it/,
  ],
  [
    'an event that is taken out',
    'session',
    () => 'DELETE FROM terminal_session_event',
    () => /session_event \S+ was removed \(row 2\)/,
  ],
  [
    'an entry that is changed with its row',
    'session',
    () =>
      `UPDATE terminal_session SET "user" = 'Eve' WHERE id = '${running}'; UPDATE audits_session_entry SET body = replace(body, 'Ann(ann)', 'Eve') WHERE row_id = '${running}'`,
    () => /row 4 was changed, or put in the place of another/,
  ],
  [
    'the output of a command',
    'command',
    () => "UPDATE terminal_command SET output = '' WHERE input = 'ls'",
    () => /command \S+ was changed \(row 1\)/,
  ],
  [
    'a command that is taken out',
    'command',
    () => "DELETE FROM terminal_command WHERE input = 'ls'",
    () => /command \S+ was removed \(row 1\)/,
  ],
  [
    'the text of a statement',
    'command',
    () => "UPDATE terminal_statement SET text = 'select 2'",
    () => /statement \S+ was changed \(row 3\)/,
  ],
  [
    'the command of a batch',
    'command_execution',
    () => "UPDATE ops_command_execution SET command = 'reboot'",
    () => RegExp(`execution ${run} was changed`),
  ],
  [
    'what it wrote on a machine',
    'command_execution',
    () =>
      unseen('ops_command_execution_host', "UPDATE ops_command_execution_host SET stdout = '' WHERE name = 'web-2'"),
    () => RegExp(`outcome of ${run} on web-2 was changed`),
  ],
  [
    'what it wrote there, which is chained as another outcome',
    'command_execution',
    () => "UPDATE ops_command_execution_host SET stdout = '' WHERE name = 'web-2'",
    () => RegExp(`outcome of ${run} on web-2 was changed after it was written`),
  ],
  [
    'a machine that is put in once it was over',
    'command_execution',
    () =>
      `INSERT INTO ops_command_execution_host (execution, asset, name) VALUES ('${run}', uuidv7(), 'web-3'); UPDATE ops_command_execution_host SET state = 'success' WHERE name = 'web-3'`,
    () => RegExp(`outcome of ${run} on web-3 was added after the end`),
  ],
  [
    'a machine that is taken out',
    'command_execution',
    () => "DELETE FROM ops_command_execution_host WHERE name = 'web-1'",
    () => RegExp(`outcome of ${run} on web-1 was removed`),
  ],
  [
    'another verdict on a ticket that is closed',
    'ticket',
    () => `UPDATE tickets_ticket SET state = 'rejected' WHERE id = '${ticket}'`,
    () => RegExp(`ticket ${ticket} was changed after it was over`),
  ],
  [
    'what it was amended to, once it is approved',
    'ticket',
    () => `UPDATE tickets_ticket SET amended = '{"apply_assets": ["web-2"]}' WHERE id = '${ticket}'`,
    () => RegExp(`ticket ${ticket} was changed after it was over`),
  ],
  [
    'that one was amended which is open',
    'ticket',
    () => `UPDATE tickets_ticket SET amended = NULL WHERE id = '${openTicket}'`,
    () => RegExp(`ticket ${openTicket} was changed after it began`),
  ],
  [
    'its requester, as if it had been so from the beginning',
    'ticket',
    () =>
      `UPDATE tickets_ticket SET applicant_display = 'Eve(eve)' WHERE id = '${ticket}'; UPDATE tickets_ticket SET state = 'rejected' WHERE id = '${ticket}'`,
    () => RegExp(`ticket ${ticket} was changed after it began`),
  ],
  [
    'what somebody said',
    'ticket',
    () => "DELETE FROM tickets_comment WHERE action = 'approved'",
    () => /ticket_comment \S+ was removed \(row 6\)/,
  ],
  [
    'a task that failed',
    'task_run',
    () => 'UPDATE ops_adhoc_execution SET is_success = true, is_finished = true',
    () => RegExp(`task_run ${taskRun} was changed after it was over`),
  ],
  [
    'how it failed on a machine',
    'task_run',
    () => `UPDATE ops_adhoc_execution_host SET results = '{}' WHERE name = 'web-2'`,
    () => RegExp(`task_outcome of ${taskRun} on web-2 was changed`),
  ],
]

test('the verifier names the first row of what was done', async () => {
  const findings = await audits.verdicts(TAMPERINGS.map(([, log, statement]) => deed(log, statement())))
  expect(findings.map((lines, n) => [TAMPERINGS[n]?.[0], lines])).toEqual(
    TAMPERINGS.map(([what, , , words]) => [what, [expect.stringMatching(words())]]),
  )
  await query(`UPDATE terminal_session SET "user" = 'Eve' WHERE id = '${ended}'`)
  expect((await audits.verified('session')).code).toBe(1)
})

test('what retention removes is no fault once a root says so, what somebody removes with it is', async () => {
  const old = new Date(Date.now() - 10 * DAY)
  const gone = await aSession(old)
  await query('UPDATE terminal_session SET is_finished = true, date_end = now() WHERE id = $1', [gone])
  await aCommand(gone, 'pwd', old)
  await signRoot(audits.kernel)
  const before = new Date(Date.now() - 5 * DAY)
  await forgetWithEntries(audits.kernel, ['command', 'session'], before, async () => {
    await query('DELETE FROM terminal_session WHERE id = $1', [gone])
    await query("DELETE FROM terminal_command WHERE input = 'pwd'")
  })
  await audits.keepRoots()
  expect((await audits.verified('session', 'command')).code).toBe(0)
  await query("DELETE FROM terminal_command WHERE input = 'ls'")
  expect((await audits.verified('session', 'command')).findings).toEqual([
    expect.stringMatching(/^session: 6 rows hold/),
    expect.stringMatching(/^command: command \S+ was removed \(row 1\)/),
  ])
})

test('runs that went with an old version of their task are counted, not taken for removed', async () => {
  await chainForgottenRuns(
    audits.kernel,
    audits.db,
    sql`SELECT 'task_run' AS kind, id AS row_id, date_start AS date FROM ops_adhoc_execution
      UNION ALL SELECT 'task_outcome', md5(execution::text || asset)::uuid, now() FROM ops_adhoc_execution_host`,
  )
  await query('DELETE FROM ops_adhoc_execution')
  await signRoot(audits.kernel)
  await audits.keepRoots()
  expect(await audits.verified('task_run')).toEqual({
    code: 0,
    findings: ['task_run: 7 rows hold, signed up to row 7; 3 went with old versions of their tasks'],
  })
})

test('commands that went to a storage outside are not taken for removed', async () => {
  const moved = await aCommand(ended, 'whoami')
  await query('DELETE FROM terminal_command WHERE id = $1', [moved.id])
  await chainMovedCommands(audits.kernel, audits.db, randomUUID(), [moved])
  await signRoot(audits.kernel)
  await audits.keepRoots()
  expect(await audits.verified('command')).toEqual({
    code: 0,
    findings: ['command: 5 rows hold, signed up to row 5; 1 are in storages outside'],
  })
})

test('a recording is compared with the checksum that was chained first with its session', async () => {
  const compared = async (content: string) => {
    await audits.verified('session')
    const file = join(audits.directory, `${ended}.cast.gz`)
    await writeFile(file, gzipSync(content))
    const log = join(audits.directory, 'session')
    const { code, stdout } = await runToEnd(process.execPath, [VERIFIER, 'recording', log, file])
    return { code, output: stdout.trim() }
  }
  expect(await compared(RECORDING)).toEqual({ code: 0, output: `${ended}.cast.gz: holds` })
  expect(await compared('another')).toEqual({ code: 1, output: `${ended}.cast.gz: was changed` })
  const sum = createHash('sha256').update('another').digest('hex')
  await query('UPDATE terminal_session SET replay_sha256 = $2 WHERE id = $1', [ended, sum])
  expect(await compared(RECORDING)).toEqual({ code: 0, output: `${ended}.cast.gz: holds` })
  expect(await compared('another')).toEqual({ code: 1, output: `${ended}.cast.gz: was changed` })
})

test('what Sallyport learns better of a session that was over is signed: the verifier counts it, and takes nobody else’s word', async () => {
  const sum = createHash('sha256').update(`${RECORDING}, and more`).digest('hex')
  await audits.db.transaction(async (tx) => {
    await tx.execute(
      sql`UPDATE terminal_session SET date_end = now() + interval '1 minute', replay_sha256 = ${sum} WHERE id = ${ended}`,
    )
    await chainAmendedSessions(audits.kernel, tx, [ended])
  })
  await signRoot(audits.kernel)
  await audits.keepRoots()
  const log = join(audits.directory, 'session')
  expect(await audits.verified('session')).toEqual({
    code: 0,
    findings: ['session: 6 rows hold, signed up to row 6; 1 were amended by Sallyport'],
  })
  const file = join(audits.directory, `${ended}.cast.gz`)
  await writeFile(file, gzipSync(`${RECORDING}, and more`))
  const { stdout } = await runToEnd(process.execPath, [
    ...[VERIFIER, 'recording', '--roots', join(audits.directory, 'roots.json')],
    ...['--key', join(audits.directory, 'key.pem'), log, file],
  ])
  expect(stdout).toContain(`${ended}.cast.gz: holds`)
  // Neither back to what it was, nor on by the same words.
  const { rows } = await query(`SELECT body FROM audits_session_entry WHERE body LIKE 'amended:%'`)
  const again = `INSERT INTO audits_session_entry (kind, row_id, body, date) VALUES ('session', '${ended}', '${rows[0].body}', now())`
  const findings = await audits.verdicts([
    deed('session', `UPDATE terminal_session SET date_end = date_end - interval '1 minute' WHERE id = '${ended}'`),
    deed(
      'session',
      `UPDATE terminal_session SET date_end = date_end + interval '1 hour' WHERE id = '${ended}'; ${again}`,
    ),
    deed('session', again.replaceAll(ended, running)),
  ])
  expect(findings).toEqual([
    [expect.stringContaining('was changed')],
    [expect.stringContaining('was changed')],
    [expect.stringContaining(`session ${running}: Sallyport did not say that it was amended`)],
  ])
})

test('roots that were replaced disagree with those that were kept, also where the new ones are signed', async () => {
  await query('TRUNCATE audits_root')
  await query('DELETE FROM terminal_session_event; UPDATE audits_session_entry SET chain_number = NULL')
  await query(
    `DELETE FROM audits_session_entry WHERE kind = 'session_event'; DELETE FROM audits_chain WHERE log = 'session'`,
  )
  await signRoot(audits.kernel)
  await audits.keepRoots('roots-of-today.json')
  expect(await audits.verified('session')).toEqual({
    code: 1,
    findings: [expect.stringMatching(/^root 1 in .*roots-of-today.json is another than in .*roots.json$/)],
  })
})

test('an old entry that is inserted later is reported as late', async () => {
  const then = new Date(Date.now() - 3 * DAY)
  await aCommand(ended, 'an old one', then)
  await query(`INSERT INTO audits_login_log (username, ip, datetime) VALUES ('eve', '192.0.2.9', $1)`, [then])
  await signRoot(audits.kernel)
  await audits.keepRoots()
  expect(await audits.verified('command', 'login_log')).toEqual({
    code: 0,
    findings: [
      'command: 4 rows hold, signed up to row 4; 1 came more than a day after their time, the first as row 4',
      expect.stringMatching(/^login_log: \d+ rows hold, .*; 1 came more than a day after their time/),
    ],
  })
})
