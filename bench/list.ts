/**
 * The list of assets, 15 a page with its count, over HTTP: the whole product against a bare Fastify
 * route that sends the same SQL through the same pool and answers what comes. Turn by turn in the
 * same run; a ratio of 1 would mean that sign-in, permission, organization, query reading and
 * presentation cost nothing. Then the same with ever more rows: it must stay flat, measured in
 * answers to `SELECT 1` of the same turns, since the machine does other things as well.
 *
 *   node_modules/.bin/node bench/list.ts               # BENCH_ROWS=10000,100000,1000000 BENCH_SECONDS=3 BENCH_ROUNDS=3
 */
import Fastify from 'fastify'
import type pg from 'pg'
import type { Server } from '../apps/server/src/server.ts'
import { keepRatio, median } from './figures.ts'
import { administratorToken, openInstallation } from './installation.ts'
import { type LoadResult, load } from './load.ts'

const ROWS = (process.env.BENCH_ROWS ?? '10000,100000').split(',').map(Number)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
/** The row count at which the aim is set. */
const AIM_ROWS = 100_000
const AIM_RATIO = 0.75
/** How much slower the largest list may be than the smallest. */
const FLAT = 1.25
const CONNECTIONS = 10
const PATH = '/api/v1/assets/assets/?limit=15&offset=0'
const ORG = '00000000-0000-0000-0000-000000000002'

/** Nodes, labels and domains, so that every relation of the page has something to load. */
const COMPANY = [
  `INSERT INTO assets_domain (org_id, name) SELECT '${ORG}', 'domain' || i FROM generate_series(1, 10) i`,
  `INSERT INTO assets_label (org_id, name, value) SELECT '${ORG}', 'label' || i, 'value' || i FROM generate_series(1, 20) i`,
  `INSERT INTO assets_node (org_id, key, parent_key, value, full_value)
   SELECT '${ORG}', r.key || ':' || i, r.key, 'node' || i, '/Default/node' || i FROM assets_node r, generate_series(0, 199) i WHERE r.org_id = '${ORG}' AND r.parent_key = ''`,
]
const grow = (from: number, to: number) => [
  `INSERT INTO assets_asset (org_id, hostname, ip, platform, os, cpu_count, cpu_cores, memory, domain)
   SELECT '${ORG}', (ARRAY['web', 'db', 'app', 'cache', 'mq'])[1 + i % 5] || '-' || substr(md5(i::text), 1, 16),
     '10.' || i / 65536 % 256 || '.' || i / 256 % 256 || '.' || i % 256, 'Linux', 'Debian', 1, 4, '16 GB', d.id
   FROM generate_series(${from + 1}, ${to}) i LEFT JOIN (SELECT id, row_number() OVER () n FROM assets_domain) d ON d.n = i % 20`,
  `INSERT INTO assets_asset_node (asset_id, node_id)
   SELECT a.id, n.id FROM (SELECT id, row_number() OVER () n FROM assets_asset a WHERE NOT EXISTS (SELECT 1 FROM assets_asset_node x WHERE x.asset_id = a.id)) a
   JOIN (SELECT id, row_number() OVER () n FROM assets_node) n ON n.n = 1 + a.n % 200`,
  `INSERT INTO assets_label_asset (asset_id, label_id)
   SELECT a.id, l.id FROM (SELECT id, row_number() OVER () n FROM assets_asset a WHERE NOT EXISTS (SELECT 1 FROM assets_label_asset x WHERE x.asset_id = a.id)) a
   JOIN (SELECT id, row_number() OVER () n FROM assets_label) l ON l.n = 1 + a.n % 20`,
  // Work of the job of every minute.
  `WITH gone AS (DELETE FROM kernel_row_count RETURNING counted, org_id, delta)
   INSERT INTO kernel_row_count (counted, org_id, delta) SELECT counted, org_id, sum(delta) FROM gone GROUP BY counted, org_id`,
  'VACUUM ANALYZE assets_asset, assets_asset_node, assets_label_asset, kernel_row_count',
]

interface Statement {
  text: string
  name?: string
  values?: unknown[]
}

/**
 * The statements that one request sends, as they are sent: the fewest of several, since jobs use
 * the same pool.
 */
async function statementsOf({ pool }: Server['kernel'], ask: () => Promise<unknown>): Promise<Statement[]> {
  const query = pool.query
  let fewest: Statement[] | undefined
  for (let turn = 0; turn < 10; turn++) {
    const seen: Statement[] = []
    pool.query = ((first: string | Statement, values?: unknown[]) => {
      seen.push(
        typeof first === 'string'
          ? { text: first, values }
          : { text: first.text, name: first.name, values: first.values ?? values },
      )
      return (query as (...sent: unknown[]) => unknown).call(pool, first, values)
    }) as unknown as typeof query
    await ask()
    pool.query = query
    if (!fewest || seen.length < fewest.length) fewest = seen
  }
  return fewest ?? []
}

/** The page's own statement: the longest list of columns of the table. */
const isPage = ({ text }: Statement) => /from "?assets_asset"? /i.test(text) && /limit/i.test(text)

/**
 * One after the other where the first tells what the others ask for, the others at once, as any
 * hand-written route would.
 */
async function openBare(
  pool: pg.Pool,
  statements: readonly Statement[],
): Promise<{ port: number; close(): Promise<void> }> {
  const bare = Fastify()
  const page = statements.find(isPage)
  if (!page) throw new Error('no statement reads the page')
  const rest = statements.filter((one) => one !== page)
  bare.get('/', async () => {
    const { rows } = await pool.query(page)
    const others = await Promise.all(rest.map((one) => pool.query(one)))
    return { count: AIM_ROWS, results: rows, others: others.map((one) => one.rows) }
  })
  bare.get('/page', async () => {
    const [{ rows }, count] = await Promise.all([
      pool.query(page),
      pool.query({
        name: 'count',
        text: "SELECT sum(delta) FROM kernel_row_count WHERE counted = 'assets_asset' AND org_id = $1",
        values: [ORG],
      }),
    ])
    return { count: count.rows[0], results: rows }
  })
  bare.get('/one', async () => (await pool.query('SELECT 1 AS one')).rows[0])
  await bare.listen({ port: 0, host: '127.0.0.1' })
  return { port: (bare.server.address() as { port: number }).port, close: () => bare.close() }
}

/** Rounds of the product and the baselines in turn; of each the median. */
async function measure(loads: Record<string, () => Promise<LoadResult>>): Promise<Record<string, LoadResult>> {
  const results: Record<string, LoadResult[]> = Object.fromEntries(Object.keys(loads).map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, work] of Object.entries(loads)) results[name]?.push(await work())
  return Object.fromEntries(
    Object.entries(results).map(([name, many]) => {
      const of = (key: keyof LoadResult) => median(many.map((one) => one[key]))
      return [name, { perSecond: of('perSecond'), p50: of('p50'), p95: of('p95'), bytes: of('bytes') }]
    }),
  )
}

const { server, close } = await openInstallation()
try {
  const { pool } = server.kernel
  const token = await administratorToken(pool)
  for (const statement of COMPANY) await pool.query(statement)
  const headers = { authorization: `Bearer ${token}`, 'x-jms-org': ORG }
  const port = Number(new URL(server.url).port)
  const product = (seconds: number) => load({ port, path: PATH, headers, connections: CONNECTIONS, seconds })
  const speeds: number[] = []
  let have = 0
  let missed = false
  for (const rows of ROWS) {
    const start = performance.now()
    for (const statement of grow(have, rows)) await pool.query(statement)
    have = rows
    console.log(
      `${rows} assets (made in ${((performance.now() - start) / 1000).toFixed(1)} s), ${CONNECTIONS} connections`,
    )
    await product(1)
    const statements = await statementsOf(server.kernel, () =>
      fetch(server.url + PATH, { headers }).then((answer) => answer.arrayBuffer()),
    )
    const bare = await openBare(pool, statements)
    const baseline = (path: string) => () =>
      load({ port: bare.port, path, headers, connections: CONNECTIONS, seconds: SECONDS })
    const found = await measure({
      product: () => product(SECONDS),
      'same SQL': baseline('/'),
      'page and count alone': baseline('/page'),
      'SELECT 1': baseline('/one'),
    })
    await bare.close()
    const own = found.product?.perSecond ?? Number.NaN
    speeds.push(own / (found['SELECT 1']?.perSecond ?? Number.NaN))
    for (const [name, { perSecond, p50, p95, bytes }] of Object.entries(found)) {
      const ratio = name === 'product' ? '' : `   product is ${(own / perSecond).toFixed(2)} of it`
      console.log(
        `  ${name.padEnd(22)} ${perSecond.toFixed(0).padStart(6)}/s  p50 ${p50.toFixed(1)} ms  p95 ${p95.toFixed(1)} ms  ${bytes} bytes${ratio}`,
      )
    }
    console.log(`  (${statements.length} statements a request)`)
    if (process.env.BENCH_SQL)
      for (const { name, text } of statements)
        console.log(`    ${name ?? '-'}: ${text.replaceAll(/\s+/g, ' ').slice(0, 200)}`)
    for (const baseline of ['same SQL', 'page and count alone'])
      keepRatio(`of ${baseline}, ${rows} assets`, own / (found[baseline]?.perSecond ?? Number.NaN), 'more')
    if (rows === AIM_ROWS && own / (found['same SQL']?.perSecond ?? 0) < AIM_RATIO) missed = true
  }
  const spread = Math.max(...speeds) / Math.min(...speeds)
  keepRatio('fastest to slowest of all sizes', spread, 'less')
  console.log(`fastest to slowest of ${ROWS.join(', ')} rows: ${spread.toFixed(2)} (flat: under ${FLAT})`)
  process.exitCode = missed || spread > FLAT ? 1 : 0
} finally {
  await close()
}
