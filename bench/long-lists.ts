/**
 * Lists and trees of assets without `limit` and exports of them: what an answer of ever more rows costs in
 * memory and how long it holds the thread up. Memory must not grow with the rows; time is reported in
 * processor time for each thousand of them.
 *
 *   node_modules/.bin/node bench/long-lists.ts         # BENCH_ROWS=10000,100000
 */
import { get } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { administratorToken, openInstallation } from './installation.ts'

const ROWS = (process.env.BENCH_ROWS ?? '10000,100000').split(',').map(Number)
/** Megabytes that the longest list may take more than the shortest. */
const MOST_MORE = 150
const ORG = '00000000-0000-0000-0000-000000000002'
const PERMISSION = '00000000-0000-4000-8000-000000000009'
const ASSETS = '/api/v1/assets/assets/'
const GRANTED = '/api/v1/perms/users/'
const PATHS = {
  json: ASSETS,
  csv: `${ASSETS}?format=csv`,
  xlsx: `${ASSETS}?format=xlsx`,
  'assets of a permission': `/api/v1/perms/asset-permissions/${PERMISSION}/assets/all/`,
  'granted assets': `${GRANTED}assets/`,
  'granted leaves': `${GRANTED}assets/tree/`,
  'granted tree': `${GRANTED}nodes-with-assets/tree/`,
  'granted level': `${GRANTED}nodes/children-with-assets/tree/?key=1`,
  level: '/api/v1/assets/nodes/children/tree/?assets=1',
}
const MB = 1024 * 1024

const { server, close } = await openInstallation()
const { pool } = server.kernel
const token = await administratorToken(pool)

interface Measured {
  answered: number
  memory: number
  processor: number
  seconds: number
  held: number
}

/** Reads the whole answer as a client does that keeps nothing of it. */
async function measure(path: string): Promise<Measured> {
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  const delay = monitorEventLoopDelay({ resolution: 5 })
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 20)
  delay.enable()
  const used = process.cpuUsage()
  const began = performance.now()
  const answered = await new Promise<number>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'x-jms-org': ORG }
    get(`${server.url}${path}`, { headers }, (answer) => {
      let bytes = 0
      answer.on('data', (piece: Buffer) => {
        bytes += piece.length
      })
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve(bytes) : reject(new Error(`${path}: ${answer.statusCode}`)),
      )
    }).on('error', reject)
  })
  const { user, system } = process.cpuUsage(used)
  clearInterval(watch)
  delay.disable()
  return {
    answered: answered / MB,
    memory: (most - before) / MB,
    processor: (user + system) / 1e6,
    seconds: (performance.now() - began) / 1000,
    held: delay.max / 1e6,
  }
}

const { rows: roots } = await pool.query("SELECT id, key FROM assets_node WHERE org_id = $1 AND parent_key = ''", [ORG])
await pool.query(
  `INSERT INTO perms_permission (id, org_id, name, family, date_expired)
   VALUES ($1, $2, 'everything', 'asset', now() + interval '1 year')`,
  [PERMISSION, ORG],
)
await pool.query(
  `INSERT INTO perms_permission_user (permission, "user") SELECT $1, id FROM users_user WHERE username = 'admin'`,
  [PERMISSION],
)
await pool.query('INSERT INTO perms_permission_node (permission, node) VALUES ($1, $2)', [PERMISSION, roots[0].id])
await pool.query(
  `WITH made AS (INSERT INTO assets_system_user (org_id, name, username, protocol) VALUES ($2, 'root', 'root', 'ssh') RETURNING id)
   INSERT INTO perms_permission_system_user (permission, systemuser) SELECT $1, id FROM made`,
  [PERMISSION, ORG],
)
const memory: Record<string, number[]> = {}
let rows = 0
for (const wanted of ROWS) {
  await pool.query(
    `INSERT INTO assets_asset (org_id, hostname, ip, platform, os)
     SELECT $1, 'machine-' || i, '10.' || i / 65536 % 256 || '.' || i / 256 % 256 || '.' || i % 256, 'Linux', 'Debian'
     FROM generate_series($2::int, $3::int) i`,
    [ORG, rows + 1, wanted],
  )
  await pool.query(
    `INSERT INTO assets_asset_node (asset_id, node_id) SELECT id, $1 FROM assets_asset ON CONFLICT DO NOTHING`,
    [roots[0].id],
  )
  rows = wanted
  await pool.query('VACUUM ANALYZE assets_asset')
  for (const [kind, path] of Object.entries(PATHS)) {
    const one = await measure(path)
    ;(memory[kind] ??= []).push(one.memory)
    console.log(
      `${kind} of ${rows} rows: ${one.answered.toFixed(1)} MB in ${one.seconds.toFixed(1)} s, ${((one.processor / rows) * 1e6).toFixed(0)} ms of the processor for a thousand, ` +
        `${one.memory.toFixed(0)} MB of memory, thread held up for ${one.held.toFixed(0)} ms at most`,
    )
  }
}
await close()
for (const [kind, each] of Object.entries(memory)) {
  const more = (each.at(-1) ?? 0) - (each[0] ?? 0)
  if (more > MOST_MORE) {
    console.error(`${kind}: the longest list took ${more.toFixed(0)} MB more than the shortest`)
    process.exitCode = 1
  }
}
