/**
 * Why, and why not, in the company of `bench/granted.ts`, through HTTP on the embedded PostgreSQL: one
 * explanation, and pages of both ways round (who reaches a target, what a person reaches). Also of an
 * asset that all people reach, and of a person who reaches everything. Each line gives median and p95 in
 * milliseconds, and how many times a mere request for one user takes, sent turn by turn.
 *
 *   node_modules/.bin/node bench/explain.ts            # BENCH_ROUNDS=200 questions of each kind
 */
import { at, ORG, SEED, SIZE, signEverybodyIn, timed } from './company.ts'
import { keepRatio } from './figures.ts'
import { openInstallation } from './installation.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 200)
const WARM_UP = 20
const TARGET_MS = 300

/** Everybody may go everywhere: by a group of all people, the root node and accounts of three protocols. */
const WIDE: readonly string[] = [
  `INSERT INTO users_user_group (name, org_id) VALUES ('Everybody', '${ORG}')`,
  `INSERT INTO users_user_group_user ("user", usergroup) SELECT u.id, g.id FROM users_user u, users_user_group g WHERE g.name = 'Everybody' AND u.username LIKE 'user%'`,
  `INSERT INTO assets_system_user (org_id, name, username, protocol) SELECT '${ORG}', 'wide ' || p, 'wide', p FROM unnest(ARRAY['ssh', 'rdp', 'vnc']) p`,
  `INSERT INTO users_user (name, username, email) VALUES ('Widest', 'widest', 'widest@example.com')`,
  `INSERT INTO orgs_member (org, "user", role) SELECT '${ORG}', id, 'User' FROM users_user WHERE username = 'widest'`,
  `INSERT INTO perms_permission (org_id, family, name, date_start, date_expired) SELECT '${ORG}', 'asset', name, now() - interval '1 day', now() + interval '1000 days' FROM unnest(ARRAY['One for all', 'All for one']) name`,
  `INSERT INTO perms_permission_user_group (permission, usergroup) SELECT p.id, g.id FROM perms_permission p, users_user_group g WHERE p.name = 'One for all' AND g.name = 'Everybody'`,
  `INSERT INTO perms_permission_target (permission, asset) SELECT p.id, (SELECT id FROM assets_asset ORDER BY hostname LIMIT 1) FROM perms_permission p WHERE p.name = 'One for all'`,
  `INSERT INTO perms_permission_user (permission, "user") SELECT p.id, u.id FROM perms_permission p, users_user u WHERE p.name = 'All for one' AND u.username = 'widest'`,
  `INSERT INTO perms_permission_node (permission, node) SELECT p.id, n.id FROM perms_permission p, assets_node n WHERE p.name = 'All for one' AND n.org_id = '${ORG}' AND n.parent_key = ''`,
  `INSERT INTO perms_permission_system_user (permission, systemuser) SELECT p.id, s.id FROM perms_permission p, assets_system_user s WHERE p.name IN ('One for all', 'All for one') AND s.name LIKE 'wide %'`,
  'ANALYZE',
]

const PAGE = 'limit=15&offset=0'
const LISTS = '/api/v1/perms/access-'

const { server, close } = await openInstallation()
try {
  const { pool } = server.kernel
  const seeding = await timed(async () => {
    for (const statement of [...SEED, ...WIDE]) await pool.query(statement)
  })
  console.log(`${SIZE} (made in ${(seeding / 1000).toFixed(1)} s)`)
  const idsOf = async (query: string) => (await pool.query<{ id: string }>(query)).rows.map(({ id }) => id)
  const [admin = ''] = await idsOf("SELECT id FROM users_user WHERE username = 'admin'")
  const token = (await signEverybodyIn(pool, [admin])).get(admin) ?? ''
  const people = await idsOf(
    `SELECT id FROM users_user WHERE username LIKE 'user%' ORDER BY md5(id::text) LIMIT ${ROUNDS}`,
  )
  const assets = await idsOf(`SELECT id FROM assets_asset ORDER BY md5(id::text) LIMIT ${ROUNDS}`)
  const [widest = ''] = await idsOf("SELECT id FROM users_user WHERE username = 'widest'")
  const [open = ''] = await idsOf('SELECT id FROM assets_asset ORDER BY hostname LIMIT 1')
  const one = (list: readonly string[], round: number) => list[round % list.length] ?? ''
  const questions: readonly [name: string, url: (round: number) => string][] = [
    ['an explanation', (n) => `/api/v1/perms/explanations/?user_id=${one(people, n)}&asset_id=${one(assets, n)}`],
    ['who reaches an asset', (n) => `${LISTS}people/?asset_id=${one(assets, n)}&${PAGE}`],
    ['who reaches an asset of all people', () => `${LISTS}people/?asset_id=${open}&${PAGE}`],
    ['the same, searched', (n) => `${LISTS}people/?asset_id=${open}&search=${n % 10}1&${PAGE}`],
    ['what a person reaches', (n) => `${LISTS}targets/?user_id=${one(people, n)}&${PAGE}`],
    ['what a person reaches, searched', (n) => `${LISTS}targets/?user_id=${one(people, n)}&search=b1&${PAGE}`],
    ['the reach of everything', () => `${LISTS}targets/?user_id=${widest}&${PAGE}`],
    ['the same, searched for b1', () => `${LISTS}targets/?user_id=${widest}&search=b1&${PAGE}`],
  ]
  const ask = async (path: string) => {
    const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${token}`, 'x-jms-org': ORG } })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`)
  }
  let slow = 0
  for (const [name, url] of questions) {
    const [asked, mere]: [number[], number[]] = [[], []]
    // Turn by turn, so that both meet the same machine.
    for (let round = 0; round < ROUNDS; round++) {
      const [took, least] = [
        await timed(() => ask(url(round))),
        await timed(() => ask(`/api/v1/users/users/${one(people, round)}/`)),
      ]
      if (round < WARM_UP) continue
      asked.push(took)
      mere.push(least)
    }
    for (const times of [asked, mere]) times.sort((a, b) => a - b)
    const p95 = at(asked, 0.95)
    const times = at(asked, 0.5) / at(mere, 0.5)
    keepRatio(`${name}: median, of a mere request`, times, 'less')
    if (p95 >= TARGET_MS) slow++
    console.log(
      `${name.padEnd(36)} p50 ${at(asked, 0.5).toFixed(1).padStart(6)} ms  p95 ${p95.toFixed(1).padStart(6)} ms  (${times.toFixed(1)} of a mere request)${p95 < TARGET_MS ? '' : `  over ${TARGET_MS} ms`}`,
    )
  }
  process.exitCode = slow ? 1 : 0
} finally {
  await close()
}
