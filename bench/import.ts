/**
 * The import of a large JumpServer: 50,000 assets, 5,000 users, 200,000 accounts, 2,000 permissions, 60,000
 * sessions and 3 million commands in PostgreSQL. First, the import again, the proof alone, and taking it back, each as an operator runs it.
 * Time is compared with that of reading the same tables and storing their rows as they are; memory is
 * the most that the command held.
 *
 *   node_modules/.bin/node bench/import.ts   # BENCH_ASSETS=50000 BENCH_USERS=5000 BENCH_SESSIONS=60000
 */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { databaseSql } from '../apps/server/src/admin/import-jumpserver/fixtures/database-fixture.ts'
import { HISTORY_3 } from '../apps/server/src/admin/import-jumpserver/fixtures/history-fixture.ts'
import { addressOf } from '../apps/server/src/admin/import-jumpserver/fixtures/installations-fixture.ts'
import { HASH } from '../apps/server/src/admin/import-jumpserver/fixtures/people-fixture.ts'
import { KEY, seal } from '../apps/server/src/admin/import-jumpserver/fixtures/sealed-fixture.ts'
import { V3_10 } from '../apps/server/src/admin/import-jumpserver/fixtures/tables-fixture.ts'
import { openSource } from '../apps/server/src/admin/import-jumpserver/source/open-source.ts'
import { ADMIN } from '../apps/server/test/programs.ts'
import { keepRatio } from './figures.ts'
import { openInstallation } from './installation.ts'

const ASSETS = Number(process.env.BENCH_ASSETS ?? 50_000)
const USERS = Number(process.env.BENCH_USERS ?? 5_000)
const SESSIONS = Number(process.env.BENCH_SESSIONS ?? 60_000)
const COMMANDS_A_SESSION = 50
const PERMISSIONS = 2_000
const GROUPS = 200
/** Megabytes that the command may hold. */
const MOST_MEMORY = 500
const EVERY_MS = 50
const ORG = '00000000-0000-0000-0000-000000000002'
const MB = 1024 * 1024

/** An id made of a kind and a number. */
const id = (kind: string, number = 'i') => `md5('${kind}' || ${number})::uuid`
const secrets = Array.from({ length: 100 }, (_, at) => `'${seal(`secret ${at}`)}'`).join(', ')

/** SQL: when a session began. */
const at = (number: string) => `(now() - interval '30 days' * ${number} / ${SESSIONS + 1} - interval '1 hour')`

/** Root, 50 below it, 8 below each of these, 4 below each of those. Assets are in the lowest. */
const ROWS: readonly string[] = [
  `INSERT INTO orgs_organization SELECT (jsonb_populate_record(NULL::orgs_organization, jsonb_build_object('id', '${ORG}', 'name', 'Default', 'builtin', true, 'comment', '', 'date_updated', now()))).*`,
  `INSERT INTO users_user SELECT (jsonb_populate_record(NULL::users_user, jsonb_build_object('id', ${id('user')}, 'username', 'user' || i,
     'name', 'User ' || i, 'email', 'user' || i || '@example.com', 'password', '${HASH}', 'role', 'User', 'is_active', true, 'source', 'local',
     'date_joined', now(), 'date_updated', now(), 'mfa_level', 0))).* FROM generate_series(1, ${USERS}) i`,
  `INSERT INTO users_usergroup SELECT (jsonb_populate_record(NULL::users_usergroup, jsonb_build_object('id', ${id('group')}, 'name', 'Group ' || i,
     'org_id', '${ORG}', 'comment', '', 'date_updated', now()))).* FROM generate_series(1, ${GROUPS}) i`,
  `INSERT INTO users_user_groups (user_id, usergroup_id) SELECT ${id('user')}, ${id('group', `(1 + i % ${GROUPS})`)} FROM generate_series(1, ${USERS}) i`,
  `INSERT INTO rbac_rolebinding SELECT (jsonb_populate_record(NULL::rbac_rolebinding, jsonb_build_object('id', ${id('binding')}, 'scope', 'org', 'user_id', ${id('user')},
     'role_id', '00000000-0000-0000-0000-000000000007', 'org_id', '${ORG}', 'date_updated', now()))).* FROM generate_series(1, ${USERS}) i`,
  `INSERT INTO assets_platform SELECT (jsonb_populate_record(NULL::assets_platform, '{"id": 1, "name": "Linux", "category": "host", "type": "linux", "charset": "utf-8", "comment": "", "internal": true}'
     || jsonb_build_object('date_updated', now()))).*`,
  `INSERT INTO assets_node SELECT (jsonb_populate_record(NULL::assets_node, jsonb_build_object('id', md5('node' || key)::uuid, 'key', key, 'parent_key',
     regexp_replace(key, ':?[0-9]+$', ''), 'value', 'node ' || key, 'full_value', '', 'org_id', '${ORG}', 'comment', '', 'date_updated', now()))).* FROM (
     SELECT '1' AS key UNION ALL SELECT '1:' || a FROM generate_series(0, 49) a
     UNION ALL SELECT '1:' || a || ':' || b FROM generate_series(0, 49) a, generate_series(0, 7) b
     UNION ALL SELECT '1:' || a || ':' || b || ':' || c FROM generate_series(0, 49) a, generate_series(0, 7) b, generate_series(0, 3) c) keys`,
  `INSERT INTO assets_asset SELECT (jsonb_populate_record(NULL::assets_asset, jsonb_build_object('id', ${id('asset')}, 'name', 'machine-' || i, 'address', '10.' || i / 65536 || '.' || i / 256 % 256 || '.' || i % 256,
     'org_id', '${ORG}', 'platform_id', 1, 'is_active', true, 'connectivity', 'ok', 'gathered_info', '{"vendor": "Dell", "cpu_count": 2}'::jsonb, 'custom_info', '{}'::jsonb,
     'comment', '', 'date_updated', now()))).* FROM generate_series(1, ${ASSETS}) i`,
  `INSERT INTO assets_host SELECT ${id('asset')} FROM generate_series(1, ${ASSETS}) i`,
  `INSERT INTO assets_protocol (name, port, asset_id) SELECT p, 22, ${id('asset')} FROM generate_series(1, ${ASSETS}) i, unnest('{ssh,sftp}'::text[]) p`,
  `INSERT INTO assets_asset_nodes (asset_id, node_id) SELECT ${id('asset')}, md5('node1:' || i % 50 || ':' || i / 50 % 8 || ':' || i / 400 % 4)::uuid FROM generate_series(1, ${ASSETS}) i`,
  // Each asset has four accounts; names differ a little among machines.
  `INSERT INTO accounts_account SELECT (jsonb_populate_record(NULL::accounts_account, jsonb_build_object('id', md5('account' || i || k)::uuid, 'asset_id', ${id('asset')}, 'org_id', '${ORG}', 'name', name, 'username', name,
     'secret_type', 'password', '_secret', (ARRAY[${secrets}])[1 + (i * 4 + k) % 100], 'is_active', true, 'version', 1, 'source', 'local', 'connectivity', 'ok', 'privileged', false, 'comment', '', 'date_updated', now()))).*
     FROM (SELECT i, k, (ARRAY['root', 'deploy', 'app' || i % 10, 'backup'])[k] AS name FROM generate_series(1, ${ASSETS}) i, generate_series(1, 4) k) made`,
  `INSERT INTO perms_assetpermission SELECT (jsonb_populate_record(NULL::perms_assetpermission, jsonb_build_object('id', ${id('permission')}, 'name', 'Permission ' || i, 'org_id', '${ORG}',
     'accounts', CASE WHEN i % 3 = 0 THEN '["@ALL"]'::jsonb WHEN i % 3 = 1 THEN '["root", "deploy"]'::jsonb ELSE '["deploy", "@INPUT"]'::jsonb END, 'protocols', '["all"]'::jsonb, 'actions', CASE WHEN i % 2 = 0 THEN 127 ELSE 1 END,
     'date_start', now() - interval '1 day', 'date_expired', now() + interval '9 years', 'is_active', true, 'from_ticket', false, 'comment', '', 'date_updated', now()))).* FROM generate_series(1, ${PERMISSIONS}) i`,
  // The first leads a group to all of it.
  `INSERT INTO perms_assetpermission_nodes (assetpermission_id, node_id) SELECT ${id('permission')}, md5('node' || CASE WHEN i = 1 THEN '1' ELSE '1:' || i % 50 || ':' || i / 50 % 8 END)::uuid FROM generate_series(1, ${PERMISSIONS}, 2) i`,
  `INSERT INTO perms_assetpermission_assets (assetpermission_id, asset_id) SELECT ${id('permission')}, ${id('asset', `(1 + (i * 7919 + k) % ${ASSETS})`)} FROM generate_series(2, ${PERMISSIONS}, 2) i, generate_series(1, 20) k`,
  `INSERT INTO perms_assetpermission_user_groups (assetpermission_id, usergroup_id) SELECT ${id('permission')}, ${id('group', `(1 + i % ${GROUPS})`)} FROM generate_series(1, ${PERMISSIONS}) i WHERE i % 4 <> 0`,
  `INSERT INTO perms_assetpermission_users (assetpermission_id, user_id) SELECT ${id('permission')}, ${id('user', `(1 + i * 31 % ${USERS})`)} FROM generate_series(4, ${PERMISSIONS}, 4) i`,
  // Spread over the last thirty days, which are kept by default.
  `INSERT INTO terminal_session SELECT (jsonb_populate_record(NULL::terminal_session, jsonb_build_object('id', ${id('session')}, 'org_id', '${ORG}', 'user', 'User ' || i % ${USERS}, 'user_id', ${id('user', `(1 + i % ${USERS})`)},
     'asset', 'machine-' || i % ${ASSETS}, 'asset_id', ${id('asset', `(1 + i % ${ASSETS})`)}, 'login_from', 'ST', 'remote_addr', '10.1.2.3', 'protocol', 'ssh', 'is_success', true, 'is_finished', true,
     'has_replay', false, 'has_command', true, 'date_start', ${at('i')}, 'date_end', ${at('i')} + interval '20 minutes', 'account', 'deploy', 'type', 'normal', 'cmd_amount', ${COMMANDS_A_SESSION}))).* FROM generate_series(1, ${SESSIONS}) i`,
  `INSERT INTO terminal_command (id, org_id, "user", asset, input, output, session, risk_level, timestamp, account)
     SELECT md5('command' || i || '-' || k)::uuid, '${ORG}', 'User ' || i % ${USERS}, 'machine-' || i % ${ASSETS}, 'systemctl status unit-' || k, 'active (running) since ' || i || repeat(' line of output', 8), ${id('session')},
     0, extract(epoch FROM ${at('i')} + k * interval '20 seconds')::integer, 'deploy' FROM generate_series(1, ${SESSIONS}) i, generate_series(1, ${COMMANDS_A_SESSION}) k`,
  // As Django makes them.
  'CREATE INDEX ON terminal_session (date_start)',
  'CREATE INDEX ON terminal_command (timestamp)',
]
/** The tables that have most rows. */
const LARGE = [
  ...['users.user', 'assets.asset', 'assets.asset_nodes', 'assets.protocol', 'accounts.account'],
  ...['terminal.session', 'terminal.command'],
]

interface Ran {
  seconds: number
  megabytes: number
  code: number | null
  output: string
}

const { server, directory, close } = await openInstallation()
const { pool } = server.kernel
const own = pool.options as pg.PoolConfig
const there = { ...own, database: 'jumpserver' }
try {
  await pool.query('CREATE DATABASE jumpserver')
  await inTheirs(async (client) => {
    // Django writes every column; what is left out here is NULL.
    await client.query(
      databaseSql('postgres', { ...V3_10, ...HISTORY_3 }, {})
        .join('\n')
        .replaceAll(' NOT NULL', ''),
    )
    for (const rows of ROWS) await client.query(rows)
    await client.query('ANALYZE')
  })
  console.log(
    `${ASSETS} assets, ${USERS} users, ${ASSETS * 4} accounts, ${PERMISSIONS} permissions, ${SESSIONS} sessions, ${SESSIONS * COMMANDS_A_SESSION} commands`,
  )

  const config = join(directory, 'config.txt')
  writeFileSync(config, `SECRET_KEY=${KEY}\n`)
  const copied = await copy()
  report('the same tables, stored as they are', { seconds: copied, megabytes: 0 })
  const first = await run('--secret-key-file', config)
  report('the import, with its proof', first)
  keepRatio('an import with its proof: time, of storing the same tables as they are', first.seconds / copied, 'less')
  const again = await run('--secret-key-file', config)
  report('the same once more', again)
  const proof = await run('--prove')
  report('the proof alone', proof)
  console.log(proof.output.split('\n').slice(0, 4).join('\n'))
  const back = await run('--take-back')
  report('taken back', back)
  for (const { megabytes, code, output } of [first, again, proof, back]) {
    if (code !== 0 || megabytes > MOST_MEMORY) process.exitCode = 1
    if (code !== 0) console.error(output)
  }
} finally {
  await close()
}

function report(name: string, { seconds, megabytes }: Pick<Ran, 'seconds' | 'megabytes'>): void {
  console.log(`${name}: ${seconds.toFixed(1)} s${megabytes ? `, ${megabytes.toFixed(0)} MB at most` : ''}`)
}

/** Reads the large tables as the import does, and stores their rows in tables without an index. */
async function copy(): Promise<number> {
  const source = await openSource(addressOf(there))
  const began = performance.now()
  for (const table of LARGE) {
    const name = `copy_${table.replace('.', '_')}`
    const columns = await columnsOf(table.replace('.', '_'))
    await pool.query(`CREATE TABLE ${name} (${columns.map((column) => `"${column}" text`).join(', ')})`)
    for await (const rows of source.read({ table, columns }))
      await pool.query(`INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, $1)`, [
        JSON.stringify(rows),
      ])
    await pool.query(`DROP TABLE ${name}`)
  }
  await source.close()
  return (performance.now() - began) / 1000
}

async function columnsOf(table: string): Promise<string[]> {
  const { rows } = await inTheirs((client) =>
    client.query('SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1', [table]),
  )
  return rows.map(({ name }) => name)
}

async function inTheirs<Answer>(work: (client: pg.Client) => Promise<Answer>): Promise<Answer> {
  const client = new pg.Client(there)
  client.on('error', () => {})
  await client.connect()
  return work(client).finally(() => client.end())
}

/** The command as an operator runs it, with the most memory that it held. */
async function run(...words: string[]): Promise<Ran> {
  const began = performance.now()
  const child = spawn(
    process.execPath,
    [ADMIN, 'import-jumpserver', '--report', join(directory, 'report.txt'), '--language', 'en', ...words],
    {
      env: {
        ...process.env,
        ...{ DATABASE_URL: addressOf(own), SALLYPORT_DATA_DIR: directory, JUMPSERVER_DATABASE: addressOf(there) },
      },
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => {
      output += piece
    })
  let megabytes = 0
  const watch = setInterval(() => {
    megabytes = Math.max(megabytes, memoryOf(child.pid))
  }, EVERY_MS)
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  clearInterval(watch)
  return { seconds: (performance.now() - began) / 1000, megabytes, code, output }
}

/** The most that a process has held so far. */
function memoryOf(pid: number | undefined): number {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return (Number(kilobytes ?? 0) * 1024) / MB
  } catch {
    return 0
  }
}
