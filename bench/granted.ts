/**
 * "My assets" with 100,000 assets, 10,000 users and 20,000 permissions, through HTTP on the
 * embedded PostgreSQL: first page, count, search, may-connect. Each line gives the median and p95
 * in milliseconds, and how many times the same SQL sent straight to the database takes.
 *
 *   node_modules/.bin/node bench/granted.ts            # BENCH_ROUNDS=300 people are asked about
 */
import type pg from 'pg'
import { hashKey } from '../apps/server/src/domains/authentication/random-secret.ts'
import { keepRatio } from './figures.ts'
import { openInstallation } from './installation.ts'

const ASSETS = 100_000
const USERS = 10_000
const PERMISSIONS = 20_000
const GROUPS = 200
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 300)
const WARM_UP = 30
const TARGET_MS = 50
/** The p95 of the first page, of its median. */
const MOST_TIMES_MEDIAN = 3
const FIRST_PAGE = 'first page with count'
const ORG = '00000000-0000-0000-0000-000000000002'

/**
 * Root, 50 below it, 8 below each of those, 4 below each of these: 2,051 nodes. Assets lie in the
 * lower levels, a tenth of them in two nodes.
 */
const SEED: readonly string[] = [
  `INSERT INTO users_user (name, username, email) SELECT 'User ' || i, 'user' || i, 'user' || i || '@example.com' FROM generate_series(1, ${USERS}) i`,
  `INSERT INTO orgs_member (org, "user", role) SELECT '${ORG}', id, 'User' FROM users_user ON CONFLICT DO NOTHING`,
  `INSERT INTO users_user_group (name, org_id) SELECT 'Group ' || i, '${ORG}' FROM generate_series(1, ${GROUPS}) i`,
  `INSERT INTO users_user_group_user ("user", usergroup)
   SELECT u.id, g.id FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM users_user) u CROSS JOIN generate_series(0, 1) k
   JOIN (SELECT id, row_number() OVER (ORDER BY id) n FROM users_user_group) g ON g.n = 1 + (u.n * 31 + k * 17) % ${GROUPS} ON CONFLICT DO NOTHING`,
  `INSERT INTO assets_node (org_id, key, parent_key, value, full_value)
   SELECT '${ORG}', r.key || p, r.key || regexp_replace(p, ':[^:]+$', ''), 'node' || p, '/Default/' || p FROM (SELECT key FROM assets_node WHERE org_id = '${ORG}' AND parent_key = '') r, (
     SELECT ':' || a p FROM generate_series(0, 49) a
     UNION ALL SELECT ':' || a || ':' || b FROM generate_series(0, 49) a, generate_series(0, 7) b
     UNION ALL SELECT ':' || a || ':' || b || ':' || c FROM generate_series(0, 49) a, generate_series(0, 7) b, generate_series(0, 3) c) keys`,
  `INSERT INTO assets_system_user (org_id, name, username, protocol) SELECT '${ORG}', 'root' || i, 'root', 'ssh' FROM generate_series(1, 20) i`,
  `INSERT INTO assets_asset (org_id, hostname, ip, platform)
   SELECT '${ORG}', (ARRAY['web', 'db', 'app', 'cache', 'mq'])[1 + i % 5] || '-' || substr(md5(i::text), 1, 10), '10.' || i / 65536 || '.' || i / 256 % 256 || '.' || i % 256, 'Linux'
   FROM generate_series(1, ${ASSETS}) i`,
  `INSERT INTO assets_asset_node (asset_id, node_id)
   SELECT a.id, n.id FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM assets_asset) a CROSS JOIN generate_series(0, 1) k
   JOIN (SELECT id, row_number() OVER (ORDER BY md5(key)) n FROM assets_node WHERE nlevel(path) >= 3) n ON n.n = 1 + (a.n * 7919 + k * 13) % 2000
   WHERE k = 0 OR a.n % 10 = 0 ON CONFLICT DO NOTHING`,
  `INSERT INTO perms_permission (org_id, family, name, date_start, date_expired, is_active)
   SELECT '${ORG}', 'asset', 'Permission ' || i, now() - interval '1 day', now() + interval '1000 days', i % 20 <> 0 FROM generate_series(1, ${PERMISSIONS}) i`,
  `INSERT INTO perms_permission_user (permission, "user")
   SELECT p.id, u.id FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM perms_permission) p CROSS JOIN generate_series(1, 2) k
   JOIN (SELECT id, row_number() OVER (ORDER BY id) n FROM users_user) u ON u.n = 1 + (p.n * 7919 + k * 104729) % ${USERS} ON CONFLICT DO NOTHING`,
  `INSERT INTO perms_permission_user_group (permission, usergroup)
   SELECT p.id, g.id FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM perms_permission) p
   JOIN (SELECT id, row_number() OVER (ORDER BY id) n FROM users_user_group) g ON g.n = 1 + p.n % ${GROUPS} WHERE p.n % 10 = 0`,
  `INSERT INTO perms_permission_target (permission, asset)
   SELECT p.id, a.id FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM perms_permission) p CROSS JOIN generate_series(1, 5) k
   JOIN (SELECT id, row_number() OVER (ORDER BY id) n FROM assets_asset) a ON a.n = 1 + (p.n * 104729 + k * 7919) % ${ASSETS} ON CONFLICT DO NOTHING`,
  `INSERT INTO perms_permission_node (permission, node)
   SELECT p.id, n.id FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM perms_permission) p
   JOIN (SELECT id, row_number() OVER (ORDER BY md5(key)) n FROM assets_node WHERE parent_key <> '') n ON n.n = 1 + (p.n * 7919) % 2050 WHERE p.n % 2 = 0`,
  `INSERT INTO perms_permission_system_user (permission, systemuser)
   SELECT p.id, s.id FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM perms_permission) p
   JOIN (SELECT id, row_number() OVER (ORDER BY id) n FROM assets_system_user) s ON s.n = 1 + p.n % 20`,
  'ANALYZE',
]

const PERMISSIONS_OF = `SELECT p.id FROM perms_permission p WHERE p.id IN (
    SELECT pu.permission FROM perms_permission_user pu WHERE pu."user" = $1
    UNION ALL SELECT pg.permission FROM users_user_group_user m JOIN perms_permission_user_group pg ON pg.usergroup = m.usergroup WHERE m."user" = $1)
  AND p.is_active AND p.date_start < now() AND p.date_expired > now()`
const GRANTED = `WITH p AS MATERIALIZED (${PERMISSIONS_OF}), granted AS MATERIALIZED (
  SELECT an.asset_id AS id FROM p JOIN perms_permission_node pn ON pn.permission = p.id JOIN assets_node n ON n.id = pn.node
    JOIN assets_node below ON below.path <@ n.path JOIN assets_asset_node an ON an.node_id = below.id
  UNION SELECT pa.asset FROM p JOIN perms_permission_target pa ON pa.permission = p.id)`
const FOUND = `(a.hostname ILIKE '%b1%' OR a.ip ILIKE '%b1%' OR a.comment ILIKE '%b1%')`

interface Subject {
  id: string
  token: string
  assetId: string
  systemUserId: string
}

interface Question {
  name: string
  url: (subject: Subject) => string
  asAdmin?: boolean
  sql: (subject: Subject) => [text: string, values: string[]]
}

const PAGE = '/api/v1/perms/users/assets/?limit=15&offset=0'
const QUESTIONS: readonly Question[] = [
  {
    name: FIRST_PAGE,
    url: () => PAGE,
    sql: ({ id }) => [
      `${GRANTED} SELECT a.*, (SELECT count(*) FROM granted) FROM assets_asset a JOIN granted USING (id) ORDER BY a.hostname, a.id LIMIT 15`,
      [id],
    ],
  },
  {
    name: 'count',
    url: () => '/api/v1/perms/users/assets/?limit=1&offset=0&fields=id',
    sql: ({ id }) => [`${GRANTED} SELECT count(*) FROM granted`, [id]],
  },
  {
    name: 'search',
    url: () => `${PAGE}&search=b1`,
    sql: ({ id }) => [
      `${GRANTED} SELECT a.*, count(*) OVER () FROM assets_asset a JOIN granted USING (id) WHERE ${FOUND} ORDER BY a.hostname, a.id LIMIT 15`,
      [id],
    ],
  },
  {
    name: 'top of the tree',
    url: () => '/api/v1/perms/users/nodes/children/tree/',
    sql: ({ id }) => [`${GRANTED} SELECT count(*) FROM granted`, [id]],
  },
  {
    name: 'may-connect',
    asAdmin: true,
    url: ({ id, assetId, systemUserId }) =>
      `/api/v1/perms/asset-permissions/user/validate/?user_id=${id}&asset_id=${assetId}&system_user_id=${systemUserId}&action_name=connect`,
    sql: ({ id, assetId, systemUserId }) => [
      `WITH p AS MATERIALIZED (${PERMISSIONS_OF}), above AS MATERIALIZED (
         SELECT DISTINCT up.id FROM assets_asset_node an JOIN assets_node n ON n.id = an.node_id JOIN assets_node up ON up.path @> n.path WHERE an.asset_id = $2)
       SELECT count(*) FROM p JOIN perms_permission_system_user s ON s.permission = p.id AND s.systemuser = $3
       WHERE EXISTS (SELECT 1 FROM perms_permission_target pa WHERE pa.permission = p.id AND pa.asset = $2)
         OR EXISTS (SELECT 1 FROM perms_permission_node pn JOIN above ON above.id = pn.node WHERE pn.permission = p.id)`,
      [id, assetId, systemUserId],
    ],
  },
]

/**
 * Tokens are put in place rather than signed in for: hashing 10,000 passwords is not what is
 * measured.
 */
async function signEverybodyIn(pool: pg.Pool, ids: readonly string[]): Promise<Map<string, string>> {
  const tokens = new Map(ids.map((id) => [id, `bench-${id}`]))
  for (const [id, token] of tokens) {
    await pool.query(
      `INSERT INTO authentication_bearer_token (token_hash, token_sealed, user_id, remote_addr, date_expired) VALUES ($1, '\\x00', $2, '127.0.0.1', now() + interval '1 day')`,
      [hashKey(token), id],
    )
  }
  return tokens
}

async function subjectsOf(pool: pg.Pool): Promise<Subject[]> {
  const { rows } = await pool.query<Omit<Subject, 'token'>>(
    `SELECT u.id, t.asset_id AS "assetId", t.systemuser AS "systemUserId" FROM (SELECT id FROM users_user WHERE username LIKE 'user%' ORDER BY md5(id::text) LIMIT $1) u
     CROSS JOIN LATERAL (
       SELECT an.asset_id, ps.systemuser FROM perms_permission_user pu JOIN perms_permission_node pn USING (permission)
       JOIN assets_node n ON n.id = pn.node JOIN assets_node below ON below.path <@ n.path JOIN assets_asset_node an ON an.node_id = below.id
       JOIN perms_permission_system_user ps USING (permission) WHERE pu."user" = u.id LIMIT 1) t`,
    [ROUNDS],
  )
  const tokens = await signEverybodyIn(
    pool,
    rows.map((row) => row.id),
  )
  return rows.map((row) => ({ ...row, token: tokens.get(row.id) ?? '' }))
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const at = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

const { server, close } = await openInstallation()
try {
  const { pool } = server.kernel
  const seeding = await timed(async () => {
    for (const statement of SEED) await pool.query(statement)
  })
  console.log(
    `${ASSETS} assets, ${USERS} users, ${PERMISSIONS} permissions, 2051 nodes (made in ${(seeding / 1000).toFixed(1)} s)`,
  )
  const subjects = await subjectsOf(pool)
  const { rows } = await pool.query<{ id: string }>("SELECT id FROM users_user WHERE username = 'admin'")
  const admin = (await signEverybodyIn(pool, [rows[0]?.id ?? ''])).get(rows[0]?.id ?? '') ?? ''
  let slow = 0
  for (const { name, url, asAdmin, sql } of QUESTIONS) {
    const ask = async (subject: Subject) => {
      const answer = await fetch(server.url + url(subject), {
        headers: { authorization: `Bearer ${asAdmin ? admin : subject.token}`, 'x-jms-org': ORG },
      })
      await answer.arrayBuffer()
      if (answer.status !== 200 && answer.status !== 403) throw new Error(`${name}: ${answer.status}`)
    }
    const raw = (subject: Subject) => pool.query(...sql(subject))
    const [http, direct]: [number[], number[]] = [[], []]
    // Turn by turn, so that both meet the same machine.
    for (const [index, subject] of subjects.entries()) {
      const [viaHttp, straight] = [await timed(() => ask(subject)), await timed(() => raw(subject))]
      if (index < WARM_UP) continue
      http.push(viaHttp)
      direct.push(straight)
    }
    for (const times of [http, direct]) times.sort((a, b) => a - b)
    const p95 = at(http, 0.95)
    const alone = { median: at(direct, 0.5), p95: at(direct, 0.95) }
    keepRatio(`${name}: median, of the raw SQL`, at(http, 0.5) / alone.median, 'less')
    keepRatio(`${name}: p95, of its median`, p95 / at(http, 0.5), 'less')
    if (p95 >= TARGET_MS) slow++
    // Nobody waits for much longer than others, nor than for the SQL alone.
    if (name === FIRST_PAGE && (p95 > MOST_TIMES_MEDIAN * at(http, 0.5) || p95 > alone.p95)) slow++
    console.log(
      `${name.padEnd(22)} p50 ${at(http, 0.5).toFixed(1).padStart(6)} ms  p95 ${p95.toFixed(1).padStart(6)} ms  (raw SQL p50 ${alone.median.toFixed(1)}, p95 ${alone.p95.toFixed(1)}; ratio of medians ${(at(http, 0.5) / alone.median).toFixed(2)})${p95 < TARGET_MS ? '' : `  over ${TARGET_MS} ms`}`,
    )
  }
  process.exitCode = slow ? 1 : 0
} finally {
  await close()
}
