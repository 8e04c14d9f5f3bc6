/**
 * Plain clients of databases through the gateway: 1,000,000 rows by one query, 10,000 small ones,
 * straight to a server, over a bare hop that passes bytes on, and through Sallyport (TLS on both legs,
 * every statement judged and recorded), turn by turn in the same run. Then the memory of the gateway
 * while a client sleeps on a big answer.
 *
 *   node_modules/.bin/node bench/database.ts   # BENCH_DATABASES=postgresql,mariadb,redis BENCH_ROWS=1000000 BENCH_QUERIES=10000 BENCH_ROUNDS=5 BENCH_MB=10240
 */
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startEmbeddedPostgres } from '../apps/server/src/kernel/database/embedded.ts'
import { runToEnd } from '../apps/server/test/run-to-end.ts'
import { type BenchDatabase, DATABASES, type Run } from './database-clients.ts'
import { keepRatio, median } from './figures.ts'

const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000)
const QUERIES = Number(process.env.BENCH_QUERIES ?? 10_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const MEGABYTES = Number(process.env.BENCH_MB ?? 10_240)
const CHOSEN = (process.env.BENCH_DATABASES ?? Object.keys(DATABASES).join()).split(',')
/** How long the client sleeps on its answer. */
const ASLEEP_SECONDS = 5
/** Rounds before those that count: a gateway has been running for a long time. */
const WARM_UP = 1
/** Share of the hop's speed. */
const AIM = 0.9
/** Added to a small query at most, at the 99th percentile: where they come as an application's do, and as fast as it goes. */
const LATENCY_MS = 1
const A_SECOND = 500

const WAYS = ['direct', 'hop', 'Sallyport'] as const
type Way = (typeof WAYS)[number]

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
  /** Until the database has all rows of it, once it is over. */
  kept: number
  /** Share of this process, which is hop and gateway, on a processor. */
  processor: number
}

/** What each way costs with one database. */
class Bench {
  readonly #database: BenchDatabase
  readonly #hop: { port: number }

  constructor(database: BenchDatabase, hop: { port: number }) {
    this.#database = database
    this.#hop = hop
  }

  /** Runs a program to its end; throws when it failed. */
  async timed(way: Way, run: (at: BenchDatabase['direct']) => Run): Promise<Taken> {
    const { direct, through } = this.#database
    const at = { direct, hop: { ...direct, port: this.#hop.port }, Sallyport: through }[way]
    const { command, environment = {} } = run(at)
    const usage = process.cpuUsage()
    const started = performance.now()
    const { code, stderr } = await runToEnd('sh', ['-c', `{ ${command}; } > /dev/null`], { environment })
    const seconds = (performance.now() - started) / 1000
    const { user, system } = process.cpuUsage(usage)
    if (code || /error|denied/i.test(stderr)) throw new Error(`${way}: ${command} ended with ${code}: ${stderr}`)
    return { seconds, processor: (user + system) / 1e6, kept: way === 'Sallyport' ? await this.#untilKept() : 0 }
  }

  /** Seconds until no row waits for the database, which would take time from the next way. */
  async #untilKept(): Promise<number> {
    const started = performance.now()
    const folder = join(this.#database.fixture.server.kernel.config.dataDirectory, 'commands')
    const isEmpty = () => {
      const names = readdirSync(folder)
      return names.length === 1 && names.every((name) => !statSync(join(folder, name)).size)
    }
    while (!isEmpty()) await new Promise((resolve) => setTimeout(resolve, 50))
    return (performance.now() - started) / 1000
  }

  /** Each way in turn, `ROUNDS` times. */
  async #rounds<T>(measure: (way: Way) => Promise<T>): Promise<Record<Way, T[]>> {
    const all: Record<Way, T[]> = { direct: [], hop: [], Sallyport: [] }
    for (let round = -WARM_UP; round < ROUNDS; round++)
      for (const way of WAYS) {
        const one = await measure(way)
        if (round >= 0) all[way].push(one)
      }
    return all
  }

  async compareSpeed(name: string, run: BenchDatabase['runs'][string]): Promise<void> {
    const taken = await this.#rounds((way) => this.timed(way, run))
    const seconds = (way: Way) => median(taken[way].map((one) => one.seconds))
    const processor = (way: Way) => median(taken[way].map((one) => one.processor)).toFixed(2)
    // Each round for itself: other work of the machine concerns its neighbors alike.
    const kept = median(taken.Sallyport.map((one) => one.kept))
    const ratio = median(taken.hop.map((one, n) => one.seconds / (taken.Sallyport[n]?.seconds ?? Number.NaN)))
    console.log(
      `${name.padEnd(28)} ${WAYS.map((way) => `${way} ${seconds(way).toFixed(2)} s`).join('  ')}  ` +
        `${ratio.toFixed(2)} of the hop (aim ${AIM})  processor of hop ${processor('hop')} s, of Sallyport ${processor('Sallyport')} s, rows kept ${kept.toFixed(1)} s later`,
    )
    keepRatio(`${name}, of the hop`, ratio, 'more')
    if (ratio < AIM) process.exitCode = 1
  }

  async compareLatency(latency: NonNullable<BenchDatabase['latency']>, aSecond?: number): Promise<void> {
    const all = await this.#rounds(async (way) => {
      await this.timed(way, (at) => latency(at, aSecond))
      const { log, milliseconds } = latency(this.#database.direct)
      return (await linesOf(log)).map(milliseconds)
    })
    const of = (way: Way, share: number) => percentile(all[way].flat(), share)
    const added = (way: Way, share: number) => of(way, share) - of('direct', share)
    const shown = (way: Way) => `${way} p50 ${added(way, 0.5).toFixed(2)} ms, p99 ${added(way, 0.99).toFixed(2)} ms`
    console.log(
      `added to a small query       ${aSecond ? `${aSecond} a second` : 'as fast as it goes'}: ${shown('hop')}  ${shown('Sallyport')} (aim: p99 under ${LATENCY_MS} ms; direct ` +
        `p50 ${of('direct', 0.5).toFixed(2)} ms, p99 ${of('direct', 0.99).toFixed(2)} ms)`,
    )
    if (added('Sallyport', 0.99) >= LATENCY_MS) process.exitCode = 1
  }

  /** A client that reads a big answer into a pipe whose reader sleeps. */
  async compareMemory(asleep: NonNullable<BenchDatabase['asleep']>): Promise<void> {
    const before = process.memoryUsage.rss()
    let most = before
    const watching = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss())
    }, 50)
    await this.timed('Sallyport', (at) => asleep(at, MEGABYTES, ASLEEP_SECONDS))
    clearInterval(watching)
    const bytes = Number(readFileSync(asleep(this.#database.direct, 0, 0).counted, 'utf8'))
    if (bytes !== MEGABYTES * 1024 * 1024) throw new Error(`${bytes} bytes came`)
    const megabytes = (value: number) => (value / 1024 / 1024).toFixed(0)
    console.log(
      `${MEGABYTES} MB for a client asleep for ${ASLEEP_SECONDS} s: memory ${megabytes(before)} MB, at most ${megabytes(most)} MB`,
    )
  }
}

const percentile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN

/** The words of each line of the files whose names begin so; they go. */
async function linesOf(log: string): Promise<string[][]> {
  const files = readdirSync(dirname(log)).map((name) => join(dirname(log), name))
  const logs = files.filter((file) => file.startsWith(log))
  const lines = logs.flatMap((file) => readFileSync(file, 'utf8').trim().split('\n'))
  await Promise.all(logs.map((file) => rm(file)))
  return lines.map((line) => line.split(' '))
}

async function benchDatabase(name: string, open: (typeof DATABASES)[string]): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
  const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres'), log: () => {} })
  const own = { connection: postgres.connection, drop: async () => {} }
  const database = await open({ rows: ROWS, queries: QUERIES, directory, database: own })
  const { fixture, direct, runs, latency, asleep } = database
  const hop = await openHop(direct.port)
  try {
    const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'bench', users: [fixture.person.id] })
    const rule = { filter, type: 'regex', content: 'drop\\s+(table|database)', ignore_case: true }
    await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, rule)
    console.log(`${name}, median of ${ROUNDS}`)
    const bench = new Bench(database, hop)
    for (const [what, run] of Object.entries(runs)) await bench.compareSpeed(what, run)
    if (latency) {
      await bench.compareLatency(latency)
      await bench.compareLatency(latency, A_SECOND)
    }
    if (asleep && MEGABYTES) await bench.compareMemory(asleep)
  } finally {
    hop.close()
    await fixture.close()
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

for (const [name, open] of Object.entries(DATABASES)) if (CHOSEN.includes(name)) await benchDatabase(name, open)
