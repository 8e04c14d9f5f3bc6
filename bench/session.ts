/**
 * The cost of a session: 200 MB of output from a real sshd through a whole TerminalSession
 * (recording, command parser, tail, an owner that takes everything), against the same bytes through
 * a bare ssh2 shell channel with the same options, alternating in the same run. A ratio of 1 would
 * be free.
 *
 *   node_modules/.bin/node bench/session.ts            # BENCH_MB=200 BENCH_ROUNDS=3
 */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSshd } from '../apps/server/src/domains/assets/sshd-fixture.ts'
import { streamOf } from '../apps/server/src/gateway/connectors/ssh.ts'
import { UNGUARDED } from '../apps/server/src/gateway/guard/guard.ts'
import { Asciicast } from '../apps/server/src/gateway/kinds/terminal/asciicast.ts'
import {
  TerminalSession,
  type TerminalSessionParts,
} from '../apps/server/src/gateway/kinds/terminal/terminal-session.ts'
import { collectedCommands } from '../apps/server/src/gateway/session/command-log-fixture.ts'
import { connectSsh, type SshConnection } from '../apps/server/src/kernel/ssh/connect.ts'
import { keepRatio, median } from './figures.ts'

const MEGABYTES = Number(process.env.BENCH_MB ?? 200)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const SIZE = { cols: 80, rows: 24 }
const SHELL = { term: 'xterm-256color', ...SIZE, width: 0, height: 0 }
/** Lines as they come from a log, some of them in Chinese. */
const COMMAND = `stty -onlcr; yes '2026-11-21 07:08:09 INFO 请求完成 GET /api/v1/assets/ 200 12ms user=walker' | head -c ${MEGABYTES * 1024 * 1024}; exit\r`

const log = { error: console.error, info: () => {} } as unknown as TerminalSessionParts['log']
const folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
const sshd = await startSshd()

function connect(): Promise<SshConnection> {
  const hostKey = {
    expected: async () => ({ types: [], certified: false }),
    decide: async () => ({ accepted: true, fingerprint: '', trusted: [], isMoved: false }),
  }
  const { port, username, privateKey } = sshd
  return connectSsh([{ host: '127.0.0.1', port, username, privateKey, password: '', hostKey }], { timeoutMs: 10_000 })
}

async function shell(connection: SshConnection) {
  return new Promise<Parameters<typeof streamOf>[0]>((resolve, reject) =>
    connection.client.shell(SHELL, (error, channel) => (error ? reject(error) : resolve(channel))),
  )
}

/** Seconds from the command to the end, and bytes that came. */
async function bare(): Promise<{ seconds: number; bytes: number; cpu: number }> {
  const connection = await connect()
  const channel = await shell(connection)
  let bytes = 0
  channel.on('data', (piece: Buffer) => {
    bytes += piece.length
  })
  return timed(
    async () => {
      channel.write(COMMAND)
      await new Promise((resolve) => channel.once('close', resolve))
      connection.close()
    },
    () => bytes,
  )
}

async function session(round: number): Promise<{ seconds: number; bytes: number; cpu: number }> {
  const connection = await connect()
  const target = streamOf(await shell(connection), connection)
  const recording = await Asciicast.open(join(folder, `${round}.cast`), {
    size: SIZE,
    title: 'bench',
    startedAt: new Date(),
  })
  let bytes = 0
  const live = new TerminalSession({
    id: String(round),
    orgId: '',
    person: { id: '', name: '', username: '', language: 'en', remoteAddress: '', loginFrom: 'WT' },
    owner: {
      write(piece) {
        bytes += piece.length
        return true
      },
      close: () => {},
    },
    target,
    recording,
    program: { terminal: { type: 'xterm', size: SIZE } },
    log,
    commands: collectedCommands(),
    noteUnseen: () => {},
    guard: UNGUARDED,
    goesOnUnrecorded: () => false,
    onEnd: () => recording.close(),
  })
  const result = await timed(
    async () => {
      live.input(Buffer.from(COMMAND))
      await live.ended
    },
    () => bytes,
  )
  const recorded = (await stat(recording.path)).size
  if (recorded < MEGABYTES * 1024 * 1024) throw new Error(`only ${recorded} bytes were recorded`)
  await rm(recording.path)
  return result
}

async function timed(
  work: () => Promise<void>,
  bytes: () => number,
): Promise<{ seconds: number; bytes: number; cpu: number }> {
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return { seconds: (performance.now() - start) / 1000, bytes: bytes(), cpu: (user + system) / 1e6 }
}

try {
  const runs = { bare: [] as { seconds: number; cpu: number }[], session: [] as { seconds: number; cpu: number }[] }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, run] of [['bare', bare] as const, ['session', session] as const]) {
      const result = await run(round)
      if (result.bytes < MEGABYTES * 1024 * 1024) throw new Error(`${name}: only ${result.bytes} bytes came`)
      runs[name].push(result)
    }
  }
  const figures = (name: keyof typeof runs) => ({
    seconds: median(runs[name].map((one) => one.seconds)),
    cpu: median(runs[name].map((one) => one.cpu)),
  })
  const [plain, whole] = [figures('bare'), figures('session')]
  const line = (name: string, { seconds, cpu }: typeof plain) =>
    `${name.padEnd(28)} ${seconds.toFixed(2)} s  ${(MEGABYTES / seconds).toFixed(0)} MB/s  processor ${cpu.toFixed(2)} s`
  console.log(`${MEGABYTES} MB of output, median of ${ROUNDS}`)
  console.log(line('bare ssh2 shell', plain))
  console.log(line('session: recorded, parsed', whole))
  console.log(
    `ratio ${(plain.seconds / whole.seconds).toFixed(2)} of the bare throughput, ${(whole.cpu / plain.cpu).toFixed(2)} times the processor`,
  )
  keepRatio('throughput, of a bare shell', plain.seconds / whole.seconds, 'more')
  keepRatio('processor, of a bare shell', whole.cpu / plain.cpu, 'less')
  console.log(`memory ${(process.memoryUsage.rss() / 1024 / 1024).toFixed(0)} MB`)
} finally {
  await sshd.close()
  await rm(folder, { recursive: true, force: true })
}
