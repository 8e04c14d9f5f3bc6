/**
 * "My assets" with 100,000 assets, 10,000 users and 20,000 permissions, through HTTP on the
 * embedded PostgreSQL: first page, count, search, may-connect. Each line gives the median and p95
 * in milliseconds, and how many times the same SQL sent straight to the database takes.
 *
 *   node_modules/.bin/node bench/granted.ts            # BENCH_ROUNDS=300 people are asked about
 */
import type pg from 'pg'
import { at, ORG, SEED, SIZE, signEverybodyIn, timed } from './company.ts'
import { keepRatio } from './figures.ts'
import { openInstallation } from './installation.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 300)
const WARM_UP = 30
const TARGET_MS = 50
/** The p95 of the first page, of its median. */
const MOST_TIMES_MEDIAN = 3
const FIRST_PAGE = 'first page with count'
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

const { server, close } = await openInstallation()
try {
  const { pool } = server.kernel
  const seeding = await timed(async () => {
    for (const statement of SEED) await pool.query(statement)
  })
  console.log(`${SIZE} (made in ${(seeding / 1000).toFixed(1)} s)`)
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
