import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHAINED_LOGS, sealLog } from '../src/domains/audits/index.ts'
import { forgetOldChanges } from '../src/kernel/undo/forget.ts'
import { openTestServer, type TestServer } from './server.ts'

const ORG = '00000000-0000-0000-0000-000000000002'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer({ SALLYPORT_KEEP_AT_LEAST_DAYS: '5' })
})
afterAll(() => server?.close())

/**
 * The kept rows and their time: the job of every night, the setting, and how a row of so many days
 * ago is made.
 */
const KEPT: readonly [what: string, job: string, setting: string, table: string, insert: string][] = [
  [
    'sign-ins',
    'audits.forget_old',
    'LOGIN_LOG_KEEP_DAYS',
    'audits_login_log',
    `INSERT INTO audits_login_log (username, ip, datetime) VALUES ('aged ' || $1::int, '10.0.0.1', now() - make_interval(days => $1::int))`,
  ],
  [
    'changes',
    'audits.forget_old',
    'OPERATE_LOG_KEEP_DAYS',
    'audits_operate_log',
    `INSERT INTO audits_operate_log ("user", action, resource_type, resource, org_id, datetime) VALUES ('a', 'update', 'Asset', 'aged ' || $1::int, '${ORG}', now() - make_interval(days => $1::int))`,
  ],
  [
    'file transfers',
    'audits.forget_old',
    'FTP_LOG_KEEP_DAYS',
    'audits_ftp_log',
    `INSERT INTO audits_ftp_log ("user", asset, "system_user", org_id, operate, filename, date_start) VALUES ('a', 'b', 'c', '${ORG}', 'Upload', 'aged ' || $1::int, now() - make_interval(days => $1::int))`,
  ],
  [
    'what undo keeps',
    'audits.forget_old',
    'AUDIT_UNDO_DAYS',
    'kernel_undo_row',
    `INSERT INTO kernel_undo_row (change, table_name, key, date_created) VALUES (gen_random_uuid(), 'assets_label', jsonb_build_object('id', 'aged ' || $1::int), now() - make_interval(days => $1::int))`,
  ],
  [
    'tasks',
    'ops.clean_tasks',
    'TASK_LOG_KEEP_DAYS',
    'ops_background_task',
    `INSERT INTO ops_background_task (id, org_id, name, state, date_created) VALUES (gen_random_uuid(), '${ORG}', 'aged ' || $1::int, 'SUCCESS', now() - make_interval(days => $1::int))`,
  ],
  [
    'runs of tasks',
    'ops.clean_versions',
    'TASK_LOG_KEEP_DAYS',
    'ops_adhoc_execution',
    `INSERT INTO ops_adhoc_execution (id, org_id, task_display, is_finished, date_start) VALUES (gen_random_uuid(), '${ORG}', 'aged ' || $1::int, true, now() - make_interval(days => $1::int))`,
  ],
  [
    'messages',
    'notifications.forget_old',
    'SITE_MESSAGE_KEEP_DAYS',
    'notifications_site_message',
    `INSERT INTO notifications_site_message (subject, message, date_created) VALUES ('aged ' || $1::int, 'x', now() - make_interval(days => $1::int))`,
  ],
]

/** The ages of the rows that are left. */
async function left(table: string): Promise<string[]> {
  const { rows } = await server.kernel.pool.query<{ age: string }>(
    `SELECT substring(t::text from 'aged (\\d+)') AS age FROM ${table} t ORDER BY 1`,
  )
  return rows.flatMap(({ age }) => age ?? [])
}

test('[A3.31] every night what is older than its setting goes, and nothing younger; a changed setting holds at once', async () => {
  const { pool, db, secrets, jobs } = server.kernel
  for (const [, , setting] of KEPT) {
    const { status } = await server.admin.patch('/api/v1/settings/setting/?category=clean', { [setting]: 10 })
    expect([setting, status]).toEqual([setting, 200])
  }
  // Logs are written, and go, in the order of time.
  await pool.query('TRUNCATE audits_login_log, audits_operate_log, audits_ftp_log, audits_chain')
  for (const [, , , , insert] of KEPT) for (const days of [30, 11, 9]) await pool.query(insert, [days])
  for (const log of CHAINED_LOGS) await sealLog(db, secrets, log)
  for (const job of new Set(KEPT.map(([, job]) => job))) await jobs.send(job, {})
  for (const [what, , , table] of KEPT) await expect.poll(async () => [what, await left(table)]).toEqual([what, ['9']])
})

test('what undo keeps is bounded by its size as well: the oldest changes go, each as a whole', async () => {
  const { pool, db } = server.kernel
  await pool.query('TRUNCATE kernel_undo_row, kernel_undo_log')
  // Five changes of 2 megabytes, in two rows each, a day apart; random text is not compressed.
  for (const days of [5, 4, 3, 2, 1])
    await pool.query(
      `INSERT INTO kernel_undo_row (change, table_name, key, before, date_created)
       SELECT c.change, 'assets_label', jsonb_build_object('id', 'aged ' || $1::int), jsonb_build_object('text',
         (SELECT string_agg(gen_random_uuid()::text, '') FROM generate_series(1, 28000) WHERE n > 0)), now() - make_interval(days => $1)
       FROM (SELECT gen_random_uuid() AS change) c, generate_series(1, 2) n`,
      [days],
    )
  await forgetOldChanges(db, 30, 100)
  expect(await left('kernel_undo_row')).toHaveLength(10)
  await forgetOldChanges(db, 30, 5)
  expect(await left('kernel_undo_row'), 'two changes of 2 megabytes').toEqual(['1', '1', '2', '2'])
  await forgetOldChanges(db, 1, 5)
  expect(await left('kernel_undo_row')).toEqual([])
})

test('what says who did what stays as long as the start-up setting says, even where its retention was set to a single day', async () => {
  const { pool, db, secrets, jobs } = server.kernel
  const traces = KEPT.filter(([what]) => what !== 'messages' && what !== 'what undo keeps')
  for (const [, , setting, table, insert] of traces) {
    await server.admin.patch('/api/v1/settings/setting/?category=clean', { [setting]: 1 })
    await pool.query(`DELETE FROM ${table}`)
    for (const days of [6, 4]) await pool.query(insert, [days])
  }
  await pool.query('TRUNCATE audits_chain')
  for (const log of CHAINED_LOGS) await sealLog(db, secrets, log)
  for (const job of new Set(traces.map(([, job]) => job))) await jobs.send(job, {})
  for (const [what, , , table] of traces)
    await expect.poll(async () => [what, await left(table)]).toEqual([what, ['4']])
})
