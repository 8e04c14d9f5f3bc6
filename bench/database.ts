/**
 * Plain clients of databases through the gateway: 1,000,000 rows by one query of `psql`, 10,000
 * small queries by `psql` and by `pgbench`, straight to a PostgreSQL, over a bare hop that passes
 * bytes on, and through Sallyport (TLS on both legs, every statement judged and recorded), turn by
 * turn in the same run. Then the memory of the gateway while a client sleeps on a big answer.
 *
 *   node_modules/.bin/node bench/database.ts   # BENCH_ROWS=1000000 BENCH_QUERIES=10000 BENCH_ROUNDS=5 BENCH_MB=1024
 */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabaseFixture } from '../apps/server/src/gateway/listeners/database/database-fixture.ts'
import { startEmbeddedPostgres } from '../apps/server/src/kernel/database/embedded.ts'
import { median } from './figures.ts'

const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000)
const QUERIES = Number(process.env.BENCH_QUERIES ?? 10_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const MEGABYTES = Number(process.env.BENCH_MB ?? 1024)
/** How long the client sleeps on its answer. */
const ASLEEP_SECONDS = 5
/** Rounds before those that count: a gateway has been running for a long time. */
const WARM_UP = 1
/** Of the hop's speed. */
const AIM = 0.9
/** Added to a small query at most, at the 99th percentile. */
const LATENCY_MS = 1

const directory = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres'), log: () => {} })
const fixture = await openDatabaseFixture({}, { connection: postgres.connection, drop: async () => {} })
await fixture.postgres.sql(
  `CREATE TABLE big AS SELECT n AS id, md5(n::text) AS name, md5((-n)::text) || md5((2 * n)::text) AS text
   FROM generate_series(1, ${ROWS}) AS n`,
)
await fixture.postgres.sql('ALTER TABLE big ADD PRIMARY KEY (id)')
await fixture.postgres.sql('GRANT ALL ON big TO scram')
await fixture.postgres.sql('VACUUM ANALYZE big')
const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'bench', users: [fixture.person.id] })
const rule = { filter, type: 'regex', content: 'drop\\s+(table|database)', ignore_case: true }
await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, rule)

const hop = await openHop(fixture.postgres.port)
const WAYS = {
  direct: { direct: true },
  hop: { direct: true, environment: { PGPORT: String(hop.port) } },
  Sallyport: {},
} as const
type Way = keyof typeof WAYS
const ways = Object.keys(WAYS) as Way[]

const small = join(directory, 'small.sql')
writeFileSync(small, 'SELECT id, name FROM big WHERE id = 4711;\n'.repeat(QUERIES))
const one = join(directory, 'one.sql')
writeFileSync(one, `\\set id random(1, ${ROWS})\nSELECT id, name FROM big WHERE id = :id;\n`)
const latencies = join(directory, 'latency')

/** Bytes as they come; nobody looks into them. */
async function openHop(port: number): Promise<{ port: number; close(): void }> {
  const sockets = new Set<Socket>()
  const passOn = (from: Socket, to: Socket) => {
    sockets.add(from)
    from
      .on('error', () => {})
      .once('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    from.pipe(to)
  }
  const listener = createServer({ noDelay: true }, (near) => {
    const far = connect({ host: '127.0.0.1', port, noDelay: true })
    passOn(near, far)
    passOn(far, near)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return {
    port: (listener.address() as AddressInfo).port,
    close() {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

interface Taken {
  seconds: number
  /** Of them this process, which is hop and gateway, on a processor. */
  processor: number
}

/** Runs a program of PostgreSQL's to its end; throws when it failed. */
async function timed(way: Way, program: string, parameters: string[]): Promise<Taken> {
  const usage = process.cpuUsage()
  const started = performance.now()
  const { code, stderr } = await fixture.run(program, parameters, WAYS[way])
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(usage)
  if (code) throw new Error(`${way}: ${program} ended with ${code}: ${stderr}`)
  return { seconds, processor: (user + system) / 1e6 }
}

const RUNS: Record<string, (way: Way) => Promise<Taken>> = {
  [`${ROWS} rows by psql`]: (way) => timed(way, 'psql', ['-XAtq', '-o', '/dev/null', '-c', 'SELECT * FROM big']),
  [`${QUERIES} queries by psql`]: (way) => timed(way, 'psql', ['-XAtq', '-o', '/dev/null', '-f', small]),
  [`${QUERIES} queries by pgbench`]: (way) => timed(way, 'pgbench', pgbench('simple')),
  [`${QUERIES} prepared by pgbench`]: (way) => timed(way, 'pgbench', pgbench('prepared')),
}

const pgbench = (protocol: string) => ['-n', '-M', protocol, '-t', String(QUERIES), '-f', one]

const sorted = (values: number[]) => [...values].sort((a, b) => a - b)
const percentile = (values: number[], share: number) =>
  sorted(values)[Math.ceil(values.length * share) - 1] ?? Number.NaN

async function compareSpeed(name: string, run: (way: Way) => Promise<Taken>): Promise<void> {
  const taken: Record<Way, Taken[]> = { direct: [], hop: [], Sallyport: [] }
  for (let round = -WARM_UP; round < ROUNDS; round++)
    for (const way of ways) {
      const one = await run(way)
      if (round >= 0) taken[way].push(one)
    }
  const seconds = (way: Way) => median(taken[way].map((one) => one.seconds))
  const processor = (way: Way) => median(taken[way].map((one) => one.processor)).toFixed(2)
  // Of each round for itself: what else the machine does concerns its neighbours alike.
  const ratio = median(taken.hop.map((one, n) => one.seconds / (taken.Sallyport[n]?.seconds ?? Number.NaN)))
  console.log(
    `${name.padEnd(24)} ${ways.map((way) => `${way} ${seconds(way).toFixed(2)} s`).join('  ')}  ` +
      `${ratio.toFixed(2)} of the hop (aim ${AIM})  processor of hop ${processor('hop')} s, of Sallyport ${processor('Sallyport')} s`,
  )
  if (ratio < AIM) process.exitCode = 1
}

/** Milliseconds of each query, in pgbench's own log. */
async function latenciesOf(way: Way): Promise<number[]> {
  await timed(way, 'pgbench', [...pgbench('simple'), '-l', `--log-prefix=${latencies}`])
  const logs = readdirSync(directory).filter((name) => name.startsWith('latency'))
  const lines = logs.flatMap((name) => readFileSync(join(directory, name), 'utf8').trim().split('\n'))
  await Promise.all(logs.map((name) => rm(join(directory, name))))
  return lines.map((line) => Number(line.split(' ')[2]) / 1000)
}

async function compareLatency(): Promise<void> {
  const all: Record<Way, number[]> = { direct: [], hop: [], Sallyport: [] }
  for (let round = -WARM_UP; round < ROUNDS; round++)
    for (const way of ways) {
      const measured = await latenciesOf(way)
      if (round >= 0) all[way].push(...measured)
    }
  const added = (way: Way, share: number) => percentile(all[way], share) - percentile(all.direct, share)
  const shown = (way: Way) => `${way} p50 ${added(way, 0.5).toFixed(2)} ms, p99 ${added(way, 0.99).toFixed(2)} ms`
  console.log(
    `added to a small query   ${shown('hop')}  ${shown('Sallyport')} (aim: p99 under ${LATENCY_MS} ms; direct ` +
      `p50 ${percentile(all.direct, 0.5).toFixed(2)} ms, p99 ${percentile(all.direct, 0.99).toFixed(2)} ms)`,
  )
  if (added('Sallyport', 0.99) >= LATENCY_MS) process.exitCode = 1
}

/** A client that copies a big answer into a pipe whose reader sleeps. */
async function compareMemory(): Promise<void> {
  const before = process.memoryUsage.rss()
  let most = before
  const watching = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 50)
  const copy = `COPY (SELECT repeat('x', 1023) FROM generate_series(1, ${MEGABYTES * 1024})) TO STDOUT`
  const counted = join(directory, 'counted')
  await timed('Sallyport', 'psql', ['-Xq', '-c', `\\o | sleep ${ASLEEP_SECONDS}; wc -c > ${counted}`, '-c', copy])
  clearInterval(watching)
  const bytes = Number(readFileSync(counted, 'utf8'))
  if (bytes !== MEGABYTES * 1024 * 1024) throw new Error(`${bytes} bytes came`)
  const megabytes = (value: number) => (value / 1024 / 1024).toFixed(0)
  console.log(
    `${MEGABYTES} MB for a client asleep for ${ASLEEP_SECONDS} s: memory ${megabytes(before)} MB, at most ${megabytes(most)} MB`,
  )
}

try {
  console.log(`Median of ${ROUNDS}`)
  for (const [name, run] of Object.entries(RUNS)) await compareSpeed(name, run)
  await compareLatency()
  await compareMemory()
} finally {
  hop.close()
  await fixture.close()
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
}
