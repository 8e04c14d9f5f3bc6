// Class 23: tenant boundary at the database layer, proven by taking the application's check away:
// rows are written as no route would write them. What one organization may read is decided by the
// engine's one place for conditions, which the generated walks try; the database guards what is
// written.
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, aName, anOrganization, fine, place } from './visitor.ts'

let database: pg.Client
/** A row of each kind in two organizations, by table. */
const ours: Record<string, string> = {}
const theirs: Record<string, string> = {}

beforeAll(async () => {
  database = new pg.Client({ host: join(place.data, 'postgres'), user: 'sallyport', database: 'sallyport' })
  await database.connect()
  for (const rows of [ours, theirs]) {
    const keeper = (await admin()).in(await anOrganization())
    const make = async (table: string, path: string, draft: object) => {
      rows[table] = fine(await keeper.call('POST', path, draft)).id
    }
    await make('assets_domain', '/api/v1/assets/domains/', { name: aName('domain') })
    await make('assets_label', '/api/v1/assets/labels/', { name: aName('label'), value: 'x' })
    await make('assets_node', '/api/v1/assets/nodes/', { value: aName('node') })
    await make('users_user_group', '/api/v1/users/groups/', { name: aName('group') })
    const identity = { username: 'root', protocol: 'ssh', login_mode: 'auto', password: 'Identity-1', auto_push: false }
    await make('assets_system_user', '/api/v1/assets/system-users/', { name: aName('identity'), ...identity })
    await make('assets_asset', '/api/v1/assets/assets/', {
      hostname: aName('machine'),
      ip: '10.0.0.1',
      platform: 'Linux',
    })
    await make('assets_command_filter', '/api/v1/assets/cmd-filters/', { name: aName('filter') })
    await make('perms_permission', '/api/v1/perms/asset-permissions/', {
      name: aName('grant'),
      assets: [rows.assets_asset],
      system_users: [rows.assets_system_user],
    })
    await make('assets_gateway', '/api/v1/assets/gateways/', {
      name: aName('door'),
      ip: '127.0.0.1',
      username: 'root',
      password: 'x',
      domain: rows.assets_domain,
    })
  }
})
afterAll(() => database?.end())

/** Column and table of each reference that a table makes. */
const PAIRS: [string, [string, string], [string, string]][] = [
  ['perms_permission_target', ['permission', 'perms_permission'], ['asset', 'assets_asset']],
  ['perms_permission_node', ['permission', 'perms_permission'], ['node', 'assets_node']],
  ['perms_permission_system_user', ['permission', 'perms_permission'], ['systemuser', 'assets_system_user']],
  ['perms_permission_user_group', ['permission', 'perms_permission'], ['usergroup', 'users_user_group']],
  ['assets_asset_node', ['asset_id', 'assets_asset'], ['node_id', 'assets_node']],
  ['assets_label_asset', ['label_id', 'assets_label'], ['asset_id', 'assets_asset']],
  ['assets_system_user_node', ['systemuser', 'assets_system_user'], ['node', 'assets_node']],
  ['assets_system_user_group', ['systemuser', 'assets_system_user'], ['group', 'users_user_group']],
  ['assets_command_filter_asset', ['filter_id', 'assets_command_filter'], ['asset_id', 'assets_asset']],
  [
    'assets_command_filter_system_user',
    ['filter_id', 'assets_command_filter'],
    ['system_user_id', 'assets_system_user'],
  ],
  ['assets_command_filter_user_group', ['filter_id', 'assets_command_filter'], ['group_id', 'users_user_group']],
]

test.each(PAIRS)(
  '%s binds no rows of two organizations, and the write leaves nothing',
  async (table, [left, leftTable], [right, rightTable]) => {
    const write = (rows: Record<string, string>, other: Record<string, string>) =>
      database.query(`INSERT INTO ${table} (${left}, "${right}") VALUES ($1, $2) ON CONFLICT DO NOTHING`, [
        rows[leftTable],
        other[rightTable],
      ])
    await expect(write(ours, theirs)).rejects.toThrow(/organization/)
    await expect(write(theirs, ours)).rejects.toThrow(/organization/)
    const { rows } = await database.query(`SELECT 1 FROM ${table} WHERE ${left} = $1 AND "${right}" = $2`, [
      ours[leftTable],
      theirs[rightTable],
    ])
    expect(rows).toEqual([])
    await write(ours, ours)
  },
)

test.each([
  ['assets_asset', 'domain', 'assets_domain'],
  ['assets_asset', 'admin_user', 'assets_system_user'],
  ['assets_gateway', 'domain', 'assets_domain'],
  ['assets_system_user', 'su_from', 'assets_system_user'],
])('%s.%s refers to nothing of another organization', async (table, column, to) => {
  const point = (id: string | undefined) =>
    database.query(`UPDATE ${table} SET ${column} = $1 WHERE id = $2`, [id, ours[table]])
  await expect(point(theirs[to])).rejects.toThrow(/organization/)
  if (table !== to) await point(ours[to])
})

/** References that are no way from one organization into another, with the reason. */
const UNGUARDED = [
  // A person's own, whichever organizations they are in.
  'assets_temporary_auth.systemuser',
  'authentication_connection_token.system_user_id',
  // The row takes the organization of what it belongs to, by a trigger of its own.
  'applications_account.app',
  'assets_account.asset',
  'assets_system_user_group.systemuser',
  'assets_system_user_node.systemuser',
  'assets_system_user_user.systemuser',
  'perms_permission_target.permission',
  'perms_permission_node.permission',
  'perms_permission_system_user.permission',
  'perms_permission_user.permission',
  'perms_permission_user_group.permission',
  // Pinned while the machine was reached, by the gateway itself.
  'assets_host_key.asset',
  'assets_host_key.gateway',
  'assets_ssh_trust.asset',
  'assets_ssh_trust.authority',
  'terminal_session_join_record.sharing',
]

test('every reference between rows of organizations is guarded, or named above with the reason', async () => {
  const { rows } = await database.query<{ reference: string }>(`
    WITH of_org AS (SELECT attrelid AS id FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE attname = 'org_id' AND c.relkind = 'r' AND NOT attisdropped),
    reference AS (
      SELECT f.conrelid, a.attname FROM pg_constraint f JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = f.conkey[1]
      WHERE f.contype = 'f' AND f.confrelid IN (SELECT id FROM of_org) AND f.connamespace = 'public'::regnamespace
    )
    SELECT r.conrelid::regclass::text || '.' || r.attname AS reference FROM reference r
    -- A part of one whole, with no organization and no other reference of its own, has nothing to differ from.
    WHERE (r.conrelid IN (SELECT id FROM of_org) OR (SELECT count(*) FROM reference other WHERE other.conrelid = r.conrelid) > 1)
      AND NOT EXISTS (
        SELECT 1 FROM pg_trigger t
        WHERE t.tgrelid = r.conrelid AND t.tgname LIKE 'organization_of_%'
          AND r.attname = ANY (string_to_array(encode(t.tgargs, 'escape'), '\\000'))
      ) ORDER BY 1`)
  expect(rows.map(({ reference }) => reference).filter((reference) => !UNGUARDED.includes(reference))).toEqual([])
})
