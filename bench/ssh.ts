/**
 * Plain SSH clients through the gateway: 1 GB by `ssh … cat` and by `sftp` with OpenSSH's own
 * clients, straight to an sshd, through that sshd as a ProxyJump, and through Sallyport (recorded,
 * rules on), turn by turn in the same run; then the time from starting the client to a command's
 * answer, the same three ways. A ratio of 1 against ProxyJump: the gateway costs what a jump host
 * costs.
 *
 *   node_modules/.bin/node bench/ssh.ts            # BENCH_MB=1024 BENCH_ROUNDS=3 BENCH_CONNECTIONS=20
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSshFixture } from '../apps/server/src/gateway/listeners/ssh/ssh-fixture.ts'
import { startEmbeddedPostgres } from '../apps/server/src/kernel/database/embedded.ts'
import { keepRatio, median } from './figures.ts'
import { waysTo } from './jump-host.ts'

const MEGABYTES = Number(process.env.BENCH_MB ?? 1024)
const BYTES = MEGABYTES * 1024 * 1024
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 20)
/** At least as fast as a jump host. */
const AIM = 1

const directory = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres'), log: () => {} })
const fixture = await openSshFixture({}, { connection: postgres.connection, drop: async () => {} })
const { folder } = fixture
const big = join(folder, 'big')
writeFileSync(big, '')
await truncate(big, BYTES)
const WAYS = waysTo(fixture)
type Way = keyof typeof WAYS

/**
 * Seconds until the client has ended; throws when it failed. `line` is a shell's, which gets the
 * way's words as its parameters.
 */
function timed(way: Way, line: string): Promise<{ seconds: number; printed: string }> {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const child = spawn('bash', ['-c', `set -o pipefail; ${line}`, 'bash', ...WAYS[way]], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    child.stdout.on('data', (piece: Buffer) => {
      printed += piece
    })
    child.on('error', reject)
    child.on('close', (code) =>
      code
        ? reject(new Error(`${way}: ${line} ended with ${code}`))
        : resolve({ seconds: (performance.now() - started) / 1000, printed }),
    )
  })
}

/** The same bytes each way; counted by another process where they come as a stream. */
const TRANSFERS: Record<string, (way: Way) => Promise<number>> = {
  async 'ssh … cat'(way) {
    const { seconds, printed } = await timed(way, `ssh "$@" 'head -c ${BYTES} /dev/zero | cat' | wc -c`)
    if (Number(printed) !== BYTES) throw new Error(`${way}: ${printed} bytes came`)
    return seconds
  },
  async sftp(way) {
    return (await timed(way, `echo 'get ${big} /dev/null' | sftp -q -b - "$@"`)).seconds
  },
}

const percentile = (values: number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN

try {
  const ways = Object.keys(WAYS) as Way[]
  for (const [name, transfer] of Object.entries(TRANSFERS)) {
    const seconds: Record<Way, number[]> = { direct: [], ProxyJump: [], Sallyport: [] }
    for (let round = 0; round < ROUNDS; round++) for (const way of ways) seconds[way].push(await transfer(way))
    console.log(`${MEGABYTES} MB by ${name}, median of ${ROUNDS}`)
    for (const way of ways)
      console.log(
        `${way.padEnd(12)} ${median(seconds[way]).toFixed(2)} s  ${(MEGABYTES / median(seconds[way])).toFixed(0)} MB/s`,
      )
    const ratio = median(seconds.ProxyJump) / median(seconds.Sallyport)
    console.log(
      `Sallyport at ${ratio.toFixed(2)} of ProxyJump's speed, ${(median(seconds.direct) / median(seconds.Sallyport)).toFixed(2)} of direct (aim: ${AIM} of ProxyJump)`,
    )
    keepRatio(`${name}, of ProxyJump`, ratio, 'more')
    keepRatio(`${name}, of direct`, median(seconds.direct) / median(seconds.Sallyport), 'more')
    if (ratio < AIM) process.exitCode = 1
  }

  const starts: Record<Way, number[]> = { direct: [], ProxyJump: [], Sallyport: [] }
  for (let n = 0; n < CONNECTIONS; n++)
    for (const way of ways) starts[way].push((await timed(way, 'ssh "$@" true')).seconds * 1000)
  console.log(`connect, run "true", leave: ${CONNECTIONS} times`)
  for (const way of ways)
    console.log(
      `${way.padEnd(12)} p50 ${median(starts[way]).toFixed(0)} ms  p95 ${percentile(starts[way], 0.95).toFixed(0)} ms`,
    )
  console.log(
    `added by Sallyport: p50 ${(median(starts.Sallyport) - median(starts.direct)).toFixed(0)} ms, p95 ${(percentile(starts.Sallyport, 0.95) - percentile(starts.direct, 0.95)).toFixed(0)} ms (aim 150)`,
  )
} finally {
  await fixture.close()
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
}
