import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'

/** Tables of which nothing is kept for undo, and why. */
const NOT_KEPT: readonly (readonly [RegExp, string])[] = [
  [/^audits_|_look$|^kernel_undo_/, 'evidence, and undo itself'],
  [
    /^terminal_(session|command$|forwarded_connection$|statement|task|recording_move)/,
    'sessions and what came of them',
  ],
  [
    /^tickets_(ticket|comment|assignee|serial|session_relation|decision_link|slack_account|slack_binding|slack_call)$/,
    'tickets are evidence',
  ],
  [
    /_execution(_host)?$|_run$|_output$|_task_log$|^ops_background_task$|^accounts_change_task$/,
    'runs and their results',
  ],
  [/^accounts_gathered_user$|^assets_ssh_trust$|^cloud_instance$/, 'what machines and clouds have told'],
  [/^users_directory$/, 'follows the directories and providers'],
  [/^kernel_(?!secret_version$)/, 'machinery of the server'],
  [/^monitor_|^backups_|^xpack_/, 'measures, backups, the license'],
  [
    /^notifications_(alarm|recipient|site_message|sent_card|webhook_figures|webhook_delivery)$/,
    'messages that were sent',
  ],
  [/^reviews_/, 'reviews are evidence, and proposals are made anew'],
  [/^orgs_invitation$/, 'a letter to a person'],
  [/^applications_saved_statement$/, 'private to a person, and not logged'],
  [/^assets_temporary_auth$|^terminal_host_key$/, 'valid for moments, or made by the server'],
  [
    /^authentication_(?!access_key$|cas_server$|directory$|group_mapping|openid_provider$|outside_account$|passkey$|radius_server$|saml2_provider$|service_identity|trust_rule$)/,
    'sign-ins and what is valid for moments: what has ended stays so',
  ],
]

let database: Awaited<ReturnType<typeof createTestDatabase>>
let pool: pg.Pool
beforeAll(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ ...database.connection, max: 1 })
})
afterAll(async () => {
  await pool?.end()
  await database?.drop()
})

test('every table is kept for undo, or is named with the reason why it is not', async () => {
  const { rows } = await pool.query<{ name: string; triggers: string[] }>(`
    SELECT c.relname AS name, array_agg(t.tgname::text) FILTER (WHERE t.tgname LIKE 'undo\\_%') AS triggers
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_trigger t ON t.tgrelid = c.oid
    WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition GROUP BY c.relname ORDER BY 1`)
  const isNamed = (name: string) => NOT_KEPT.some(([pattern]) => pattern.test(name))
  const isKept = ({ triggers }: { triggers: string[] | null }) => triggers?.includes('undo_removed') ?? false
  expect(rows.filter((row) => !isKept(row) && !isNamed(row.name)).map(({ name }) => name)).toEqual([])
  expect(rows.filter((row) => isKept(row) && isNamed(row.name)).map(({ name }) => name)).toEqual([])
  const kept = rows.filter(isKept)
  expect(kept.length).toBeGreaterThan(70)
  for (const { triggers } of kept) expect(triggers?.toSorted()).toEqual(['undo_added', 'undo_changed', 'undo_removed'])
  for (const [pattern] of NOT_KEPT)
    expect([pattern, rows.some(({ name }) => pattern.test(name))]).toEqual([pattern, true])
})

test('the triggers know the sealed and the generated columns: a migration that adds one calls kernel_keep_for_undo', async () => {
  const { rows } = await pool.query<{ name: string; arguments: string; sealed: string[]; generated: string[] }>(`
    SELECT c.relname AS name, encode(t.tgargs, 'escape') AS arguments,
      coalesce(array_agg(a.attname::text) FILTER (WHERE a.atttypid = 'bytea'::regtype AND a.attname LIKE '%\\_sealed'), '{}') AS sealed,
      coalesce(array_agg(a.attname::text) FILTER (WHERE a.attgenerated <> ''), '{}') AS generated
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE t.tgname = 'undo_changed' GROUP BY c.relname, t.tgargs`)
  for (const { name, arguments: text, sealed, generated } of rows) {
    const [, second = '', third = ''] = text
      .split('\\000')
      .map((one) => one.slice(1, -1).split(',').filter(Boolean).sort().join())
    expect([name, second, third]).toEqual([name, sealed.sort().join(), generated.sort().join()])
  }
})
