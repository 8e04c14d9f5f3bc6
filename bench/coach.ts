/**
 * What 90 days of use suggest, in the company of bench/company.ts with 300,000 sessions: how long a look
 * takes, which runs in the background every night, and how many times the mere sum of these sessions by
 * person, machine and account.
 *
 *   node_modules/.bin/node bench/coach.ts            # BENCH_ROUNDS=5 looks
 */
import { lookAround } from '../apps/server/src/domains/reviews/coach/look.ts'
import { at, ORG, SEED, SIZE, timed } from './company.ts'
import { keepRatio } from './figures.ts'
import { openInstallation } from './installation.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SESSIONS = 300_000
/** A look is background work: it must not take the database for longer. */
const TARGET_S = 60

/** Permissions of 200 days; three in four of them are used, by whom they name, on what they name. */
const USE: readonly string[] = [
  "UPDATE kernel_migration SET applied_at = now() - interval '200 days'",
  "UPDATE perms_permission SET date_created = now() - interval '200 days', date_start = now() - interval '200 days'",
  `INSERT INTO terminal_session (org_id, "user", user_id, asset, asset_id, "system_user", system_user_id, protocol, remote_addr, date_start, date_end, is_finished)
   SELECT '${ORG}', 'User', way.person::text, 'asset', way.asset::text, 'root', way.account::text, 'ssh', '192.0.2.7', began, began + interval '10 minutes', true
   FROM (
     SELECT row_number() OVER (ORDER BY p.id, pu."user", pt.asset) AS n, pu."user" AS person, pt.asset, ps.systemuser AS account
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM perms_permission) p
     JOIN perms_permission_user pu ON pu.permission = p.id JOIN perms_permission_target pt ON pt.permission = p.id
     JOIN perms_permission_system_user ps ON ps.permission = p.id WHERE p.place % 4 <> 0) way
   CROSS JOIN generate_series(1, 3) k
   CROSS JOIN LATERAL (SELECT now() - (1 + (way.n * 7919 + k * 104729) % 129000) * interval '1 minute' AS began) b
   ORDER BY (way.n * 104729 + k * 7919) % 1000003 LIMIT ${SESSIONS}`,
  'ANALYZE',
]
const SUM = `SELECT user_id, asset_id, system_user_id, min(date_start), max(date_start), count(*) FROM terminal_session
  WHERE org_id = '${ORG}' AND date_start > now() - interval '90 days' GROUP BY 1, 2, 3`

const { server, close } = await openInstallation({ SALLYPORT_ROLES: 'api' })
try {
  const { pool } = server.kernel
  for (const statement of [...SEED, ...USE]) await pool.query(statement)
  const { rows } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM terminal_session')
  console.log(`${SIZE}, ${rows[0]?.n} sessions of 90 days`)
  const [looks, sums]: [number[], number[]] = [[], []]
  // Turn by turn, so that both meet the same machine; the first look stores what it finds.
  for (let round = 0; round < ROUNDS; round++) {
    sums.push(await timed(() => pool.query(SUM)))
    looks.push(await timed(() => lookAround(server.kernel, ORG)))
  }
  const found = await pool.query<{ kind: string; n: number }>(
    'SELECT kind, count(*)::int AS n FROM reviews_proposal GROUP BY 1 ORDER BY 1',
  )
  const first = looks[0] ?? Number.NaN
  for (const times of [looks, sums]) times.sort((a, b) => a - b)
  const [look, sum] = [at(looks, 0.5), at(sums, 0.5)]
  const longest = at(looks, 1)
  keepRatio('a look at 300,000 sessions: median, of their sum', look / sum, 'less')
  console.log(
    `a look: first ${(first / 1000).toFixed(1)} s, median ${(look / 1000).toFixed(1)} s, longest ${(longest / 1000).toFixed(1)} s  (${(look / sum).toFixed(1)} of the sum of the sessions, ${sum.toFixed(0)} ms)${longest < TARGET_S * 1000 ? '' : `  over ${TARGET_S} s`}`,
  )
  console.log(found.rows.map(({ kind, n }) => `${kind} ${n}`).join(', '))
  process.exitCode = longest < TARGET_S * 1000 ? 0 : 1
} finally {
  await close()
}
