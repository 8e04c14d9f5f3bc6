/**
 * Forwarded ports by OpenSSH's own client: a large answer of a web server through `ssh -L`, straight
 * to an sshd, through that sshd as a ProxyJump, and through Sallyport (each connection judged and
 * logged), turn by turn in the same run; then small requests over one connection, and each over a
 * connection of its own. A ratio of 1 against ProxyJump: the gateway costs what a jump host costs.
 *
 *   node_modules/.bin/node bench/forward.ts        # BENCH_MB=1024 BENCH_ROUNDS=3 BENCH_REQUESTS=1000
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSshFixture } from '../apps/server/src/gateway/listeners/ssh/ssh-fixture.ts'
import { startEmbeddedPostgres } from '../apps/server/src/kernel/database/embedded.ts'
import { freePort, isListening } from '../apps/server/test/free-port.ts'
import { keepRatio, median } from './figures.ts'
import { waysTo } from './jump-host.ts'

const MEGABYTES = Number(process.env.BENCH_MB ?? 1024)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 1000)
/** Each has its own connection, and its own row. */
const CONNECTIONS = Math.ceil(REQUESTS / 5)
/** At least as fast as a jump host. */
const AIM = 1

/** Answers `/` in a few bytes, and anything else with as many megabytes as were asked for. */
const WEB_SERVER = `
const piece = Buffer.alloc(65536)
require('node:http').createServer((asked, answer) => {
  let left = Number(asked.url.slice(1)) * 16
  const more = () => { while (left-- > 0) if (!answer.write(piece)) return answer.once('drain', more); answer.end('ok') }
  more()
}).listen(Number(process.argv[1]), '127.0.0.1')`

const directory = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres'), log: () => {} })
const fixture = await openSshFixture({}, { connection: postgres.connection, drop: async () => {} })
await fixture.server.admin.patch(`/api/v1/perms/asset-permissions/${fixture.permission}/`, { forwarding: 'machine' })
const WAYS = waysTo(fixture)
type Way = keyof typeof WAYS

const children: ChildProcess[] = []
/** A program that serves a port, once it does. */
async function serving(port: number, program: string, parameters: string[]): Promise<void> {
  const child = spawn(program, parameters, { stdio: ['ignore', 'ignore', 'inherit'] })
  children.push(child)
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Milliseconds of a request. */
async function asked(port: number, agent: Agent | false): Promise<number> {
  const started = performance.now()
  const [answer] = await once(request({ port, host: '127.0.0.1', path: '/0', agent }).end(), 'response')
  await once(answer.resume(), 'end')
  return performance.now() - started
}

/** Seconds of the large answer, fetched by another process. */
async function fetched(way: Way, port: number): Promise<number> {
  const started = performance.now()
  const child = spawn('curl', ['-sSf', '-o', '/dev/null', `http://127.0.0.1:${port}/${MEGABYTES}`], {
    stdio: 'inherit',
  })
  const [code] = await once(child, 'close')
  if (code) throw new Error(`${way}: curl ended with ${code}`)
  return (performance.now() - started) / 1000
}

try {
  const web = await freePort()
  await serving(web, process.execPath, ['-e', WEB_SERVER, String(web)])
  const ways = Object.keys(WAYS) as Way[]
  const ports = {} as Record<Way, number>
  for (const way of ways) {
    ports[way] = await freePort()
    await serving(ports[way], 'ssh', ['-N', '-L', `127.0.0.1:${ports[way]}:127.0.0.1:${web}`, ...WAYS[way]])
  }

  const seconds: Record<Way, number[]> = { direct: [], ProxyJump: [], Sallyport: [] }
  for (let round = 0; round < ROUNDS; round++) for (const way of ways) seconds[way].push(await fetched(way, ports[way]))
  console.log(`${MEGABYTES} MB by ssh -L, median of ${ROUNDS}`)
  for (const way of ways)
    console.log(
      `${way.padEnd(12)} ${median(seconds[way]).toFixed(2)} s  ${(MEGABYTES / median(seconds[way])).toFixed(0)} MB/s`,
    )
  const ratio = median(seconds.ProxyJump) / median(seconds.Sallyport)
  console.log(`Sallyport at ${ratio.toFixed(2)} of ProxyJump's speed (aim: ${AIM})`)
  keepRatio('ssh -L, of ProxyJump', ratio, 'more')
  if (ratio < AIM) process.exitCode = 1

  const kept = new Agent({ keepAlive: true, maxSockets: 1 })
  for (const [name, count, agent] of [
    ['over one connection', REQUESTS, kept],
    ['each over its own connection', CONNECTIONS, false],
  ] as const) {
    const times: Record<Way, number[]> = { direct: [], ProxyJump: [], Sallyport: [] }
    for (let n = 0; n < count; n++) for (const way of ways) times[way].push(await asked(ports[way], agent))
    console.log(`${count} small requests, ${name}: p50`)
    for (const way of ways) console.log(`${way.padEnd(12)} ${median(times[way]).toFixed(2)} ms`)
    const added = median(times.Sallyport) - median(times.direct)
    console.log(
      `added by Sallyport ${added.toFixed(2)} ms, by ProxyJump ${(median(times.ProxyJump) - median(times.direct)).toFixed(2)} ms`,
    )
    keepRatio(
      `a small request, ${name}: median, of ProxyJump`,
      median(times.Sallyport) / median(times.ProxyJump),
      'less',
    )
  }
  kept.destroy()
} finally {
  for (const child of children.reverse()) child.kill()
  await fixture.close()
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
}
