/**
 * One page of the asset list with 10,000 and 100,000 assets (a million with --full), over HTTP on the embedded PostgreSQL, against a bare Fastify
 * that sends the same rows and the same count, found by the same SQL, as plain JSON. Two ratios are printed: of throughput, and of medians between sizes.
 *
 *   node_modules/.bin/node bench/list.ts [--full]        # BENCH_ROUNDS=400 requests each
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fastify } from 'fastify'
import type pg from 'pg'
import { loadConfig } from '../apps/server/src/config.ts'
import { hashKey } from '../apps/server/src/domains/authentication/random-secret.ts'
import { startEmbeddedPostgres } from '../apps/server/src/kernel/database/embedded.ts'
import { openServer } from '../apps/server/src/server.ts'

const SIZES = process.argv.includes('--full') ? [10_000, 100_000, 1_000_000] : [10_000, 100_000]
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 400)
const WARM_UP = 200
const AT_ONCE = 8
const TARGET_RATIO = 0.5
const ORG = '00000000-0000-0000-0000-000000000002'
const TOKEN = 'bench-token'
const PAGE = '/api/v1/assets/assets/?limit=15&offset=0'

/** Adds the numbers from $1 to $2, each with one node of fifty. */
const ADD = `WITH added AS (
    INSERT INTO assets_asset (org_id, hostname, ip, platform)
    SELECT '${ORG}', 'host-' || substr(md5(i::text), 1, 12), '10.' || i / 65536 % 256 || '.' || i / 256 % 256 || '.' || i % 256, 'Linux'
    FROM generate_series($1::int, $2::int) i RETURNING id)
  INSERT INTO assets_asset_node (asset_id, node_id)
  SELECT a.id, n.id FROM (SELECT id, row_number() OVER () n FROM added) a
  JOIN (SELECT id, row_number() OVER (ORDER BY key) n FROM assets_node WHERE org_id = '${ORG}' AND parent_key <> '') n ON n.n = 1 + a.n % 50`
const NODES = `INSERT INTO assets_node (org_id, key, parent_key, value, full_value)
  SELECT '${ORG}', r.key || ':' || i, r.key, 'node' || i, '/Default/node' || i
  FROM (SELECT key FROM assets_node WHERE org_id = '${ORG}' AND parent_key = '') r, generate_series(1001, 1050) i`

const LIST = 'SELECT * FROM assets_asset WHERE org_id = $1 ORDER BY hostname, id LIMIT 15 OFFSET 0'
const COUNT = 'SELECT sum(delta)::int AS count FROM assets_asset_count WHERE org_id = $1'

/** What a server costs that does nothing but the two queries: no sign-in, no organisation, no relations, no permissions. */
async function openBare(pool: pg.Pool) {
  const app = fastify()
  app.get('/api/v1/assets/assets/', async () => {
    const [{ rows }, { rows: counts }] = await Promise.all([pool.query(LIST, [ORG]), pool.query<{ count: number }>(COUNT, [ORG])])
    return { count: counts[0]?.count, next: null, previous: null, results: rows }
  })
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() }
}

const agent = new Agent({ keepAlive: true })
const headers = { authorization: `Bearer ${TOKEN}`, 'x-jms-org': ORG }

/** The client shares the process with both servers, so it is the cheapest there is. */
function get(url: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const call = request(url + PAGE, { agent, headers }, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.once('error', reject)
      answer.once('end', () =>
        answer.statusCode === 200 ? resolve(Buffer.concat(pieces)) : reject(new Error(`${answer.statusCode}: ${Buffer.concat(pieces)}`)),
      )
    })
    call.once('error', reject)
    call.end()
  })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function burst(url: string): Promise<number> {
  const each = Math.ceil(ROUNDS / AT_ONCE)
  const one = async () => {
    for (let round = 0; round < each; round++) await get(url)
  }
  const took = await timed(() => Promise.all(Array.from({ length: AT_ONCE }, one)))
  return (each * AT_ONCE * 1000) / took
}

const at = (numbers: readonly number[], share: number) =>
  [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? Number.NaN

async function expectSame(urls: readonly string[], size: number) {
  for (const url of urls) {
    const { count, results } = JSON.parse(String(await get(url))) as { count: number; results: unknown[] }
    if (count !== size || results.length !== 15) throw new Error(`${url} counts ${count} of ${size} assets and sends ${results.length}`)
  }
}

/** Turn by turn, so that both meet the same machine. */
async function measure(server: string, bare: string) {
  for (let round = 0; round < WARM_UP; round++) await Promise.all([get(server), get(bare)])
  const [ours, plain]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await timed(() => get(server)))
    plain.push(await timed(() => get(bare)))
  }
  const [rates, plainRates]: [number[], number[]] = [[], []]
  for (let round = 0; round < 5; round++) {
    rates.push(await burst(server))
    plainRates.push(await burst(bare))
  }
  return { ours, plain, rate: at(rates, 0.5), plainRate: at(plainRates, 0.5) }
}

const directory = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres'), log: () => {} })
const config = loadConfig({
  SALLYPORT_DATA_DIR: directory,
  SALLYPORT_HTTP_PORT: '0',
  SALLYPORT_SSH_PORT: '0',
  SALLYPORT_LOG_LEVEL: 'silent',
  SALLYPORT_ADMIN_PASSWORD: 'Bench-password-1',
})
const server = await openServer({ config, database: postgres.connection, demo: false })
const { pool } = server.kernel
const bare = await openBare(pool)
try {
  await pool.query(
    `INSERT INTO authentication_bearer_token (token_hash, token_sealed, user_id, remote_addr, date_expired)
     SELECT $1, '\\x00', id, '127.0.0.1', now() + interval '1 day' FROM users_user WHERE username = 'admin'`,
    [hashKey(TOKEN)],
  )
  await pool.query(NODES)
  const line = (name: string, times: number[], rate: number) =>
    `  ${name.padEnd(14)} p50 ${at(times, 0.5).toFixed(2).padStart(6)} ms  p95 ${at(times, 0.95).toFixed(2).padStart(6)} ms  ${rate.toFixed(0).padStart(5)} a second, ${AT_ONCE} at once`
  let existing = 0
  let smallest = 0
  let below = 0
  for (const size of SIZES) {
    const seeding = await timed(async () => {
      await pool.query(ADD, [existing + 1, size])
      // The tables are settled first: vacuum and statistics would otherwise run somewhere in the measurement.
      await pool.query('VACUUM ANALYZE')
    })
    existing = size
    await expectSame([server.url, bare.url], size)
    const { ours, plain, rate, plainRate } = await measure(server.url, bare.url)
    smallest ||= at(ours, 0.5)
    const ratio = rate / plainRate
    if (ratio < TARGET_RATIO) below++
    console.log(`${size} assets (added in ${(seeding / 1000).toFixed(1)} s)`)
    console.log(line('server', ours, rate))
    console.log(line('bare Fastify', plain, plainRate))
    console.log(
      `  ratio ${ratio.toFixed(2)} of the bare throughput${ratio < TARGET_RATIO ? ` (the aim is ${TARGET_RATIO})` : ''}, median ${(at(ours, 0.5) / smallest).toFixed(2)} times that of ${SIZES[0]} assets`,
    )
  }
  if (below) console.log(`${below} of ${SIZES.length} sizes below the aim`)
} finally {
  agent.destroy()
  await bare.close()
  await server.close()
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
}
