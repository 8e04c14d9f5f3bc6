/**
 * A recording of eight hours and 100 MB, played over HTTP: opening it (index, first screen, first
 * piece), jumping to 20 moments by chance (screen and piece), and finding a word at its end, each
 * with the parsing that the player does, against reading the whole recording as a player without an
 * index must. Packing is measured as well, with how long it ever held the server back.
 *
 *   node_modules/.bin/node bench/replay.ts            # BENCH_MB=100; BENCH_STAY=1 keeps the server up to look at the player
 */
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReplayIndex, ReplaySearch } from '@sallyport/contract/replay.ts'
import { parseReplayEvent } from '@sallyport/contract/replay.ts'
import { createSession, finishSession } from '../apps/server/src/domains/terminal/index.ts'
import { markReplay, packInThread, replayPath } from '../apps/server/src/domains/terminal/recording/index.ts'
import { keepRatio } from './figures.ts'
import { openInstallation, PASSWORD } from './installation.ts'

const MEGABYTES = Number(process.env.BENCH_MB ?? 100)
const HOURS = 8
const SEEKS = 20
const TARGET_MS = 1000
const ORG = '00000000-0000-0000-0000-000000000002'
const NEEDLE = 'the needle'

/**
 * Log lines, a listing in colors, a full-screen program now and then, pauses, and another size
 * every hour.
 */
function* recording(): Generator<string> {
  yield `${JSON.stringify({ version: 2, width: 120, height: 40, timestamp: 1_790_000_000 })}\n`
  const bytes = MEGABYTES * 1024 * 1024
  let written = 0
  for (let n = 0; written < bytes; n++) {
    const seconds = (written / bytes) * HOURS * 3600
    const text =
      n % 500 === 0
        ? `\x1b[?1049h\x1b[2J${Array.from({ length: 38 }, (_, row) => `\x1b[${row + 1};1H\x1b[3${row % 8}m${n} top ${'▇'.repeat((n * row) % 100)}\x1b[K`).join('')}\x1b[?1049l`
        : `2026-11-21 07:08:09 \x1b[3${n % 8}mINFO\x1b[0m 请求完成 GET /api/v1/assets/${n}?page=${n % 97} 200 ${n % 613}ms ${(n * 2_654_435_761) % 1e9}\r\n`.repeat(
            1 + (n % 12),
          )
    const line = `${JSON.stringify([Number(seconds.toFixed(6)), 'o', text])}\n`
    written += Buffer.byteLength(line)
    yield line
    if (n % 20_000 === 19_999) yield `${JSON.stringify([seconds, 'r', n % 40_000 === 19_999 ? '100x30' : '120x40'])}\n`
  }
  yield `${JSON.stringify([HOURS * 3600, 'o', `${NEEDLE}\r\n`])}\n`
}

const parse = (text: string) => text.split('\n').map(parseReplayEvent)
async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; answer: T }> {
  const start = performance.now()
  const answer = await work()
  return { ms: performance.now() - start, answer }
}

const { server, close } = await openInstallation()
try {
  const who = {
    user: 'Bench(bench)',
    asset: 'web-1',
    system_user: 'root',
    user_id: randomUUID(),
    asset_id: randomUUID(),
  }
  const session = { id: '', date_start: new Date() }
  session.id = await createSession(server.kernel.db, {
    ...who,
    org_id: ORG,
    system_user_id: randomUUID(),
    login_from: 'WT',
    remote_addr: '127.0.0.1',
    protocol: 'ssh',
    date_start: session.date_start,
  })
  const target = await replayPath(server.kernel, session)
  const source = target.replace(/\.gz$/, '')
  await pipeline(Readable.from(recording()), createWriteStream(source))
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const packing = await timed(() => packInThread({ source, isPacked: false, target, suffix: '.part' }))
  delay.disable()
  const [plain, packed] = [await stat(source), await stat(target)]
  await finishSession(server.kernel.db, session.id)
  await markReplay(server.kernel, session.id)
  console.log(
    `${HOURS} h, ${(plain.size / 1e6).toFixed(0)} MB packed into ${(packed.size / 1e6).toFixed(1)} MB in ${(packing.ms / 1000).toFixed(1)} s beside the server, which was held back ${(delay.max / 1e6).toFixed(0)} ms at most`,
  )

  const signedIn = await fetch(`${server.url}/api/v1/authentication/tokens/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  })
  const { token } = (await signedIn.json()) as { token: string }
  const base = `${server.url}/api/v1/terminal/sessions/${session.id}/replay/`
  const get = async (url: string) => {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}`, 'x-jms-org': ORG } })
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`)
    return answer.text()
  }
  const begin = async (n: number) => {
    const [, piece] = await Promise.all([get(`${base}screen/${n}/`), get(`${base}part/${n}/`)])
    return parse(piece)
  }
  const { src } = JSON.parse(await get(base)) as { src: string }

  const whole = await timed(async () => parse(await get(server.url + src)).length)
  const open = await timed(async () => {
    const index = JSON.parse(await get(`${base}index/`)) as ReplayIndex
    await begin(0)
    return index
  })
  const { parts } = open.answer
  const seeks: number[] = []
  for (let seek = 0; seek < SEEKS; seek++)
    seeks.push((await timed(() => begin(Math.floor(Math.random() * parts.length)))).ms)
  seeks.sort((a, b) => a - b)
  const search = await timed(
    async () => JSON.parse(await get(`${base}search/?q=${encodeURIComponent(NEEDLE)}`)) as ReplaySearch,
  )
  if (search.answer.hits.at(-1)?.time !== HOURS * 3600) throw new Error('the needle was not found')

  const report = (name: string, ms: number, isLimited = true) => {
    keepRatio(`${name}, of the whole recording`, ms / whole.ms, 'less')
    console.log(
      `${name.padEnd(24)} ${ms.toFixed(0).padStart(6)} ms  (whole recording ${whole.ms.toFixed(0)} ms; ratio ${(ms / whole.ms).toFixed(3)})${isLimited && ms >= TARGET_MS ? `  over ${TARGET_MS} ms` : ''}`,
    )
  }
  report('open', open.ms)
  report('seek, median', seeks[Math.floor(SEEKS / 2)] ?? Number.NaN)
  report('seek, slowest', seeks.at(-1) ?? Number.NaN)
  report('search to the end', search.ms, false)
  process.exitCode = open.ms >= TARGET_MS || (seeks.at(-1) ?? 0) >= TARGET_MS ? 1 : 0
  if (process.env.BENCH_STAY) {
    console.log(`${server.url}/luna/replay/${session.id}`)
    await new Promise((resolve) => process.once('SIGTERM', resolve))
  }
} finally {
  await close()
}
