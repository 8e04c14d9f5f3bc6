/**
 * A recording of four hours of a desktop, played over HTTP as the player does: opening it, and jumping
 * to moments by chance, each until the picture of that moment is painted.
 */
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReplayIndex } from '@sallyport/contract/replay.ts'
import { bytesOf, DesktopPicture } from '../apps/console/src/terminal/replay/desktop-picture.ts'
import { createSession, finishSession } from '../apps/server/src/domains/terminal/index.ts'
import { markReplay, packInThread, replayPath } from '../apps/server/src/domains/terminal/recording/index.ts'
import { Picture } from '../apps/server/src/gateway/kinds/desktop/picture/picture.ts'
import { View } from '../apps/server/src/gateway/kinds/desktop/picture/view.ts'
import { sizeUpdate, updateHead } from '../apps/server/src/gateway/protocols/rfb/messages.ts'
import type { Server } from '../apps/server/src/server.ts'
import { median } from './figures.ts'

const HOURS = Number(process.env.BENCH_HOURS ?? 4)
const SIZE = { width: 1280, height: 800 }
const ORG = '00000000-0000-0000-0000-000000000002'
/** As the gateway records: a whole picture each half minute. */
const KEY_SECONDS = 30
const PICTURES_A_SECOND = 3
const JUMPS = 40

/** Lines of a desktop in one corner of which something moves. */
function* recorded(): Generator<string> {
  const line = (...event: unknown[]) => `${JSON.stringify(event)}\n`
  const { whole, moves } = pictures()
  const size = `${SIZE.width}x${SIZE.height}`
  const first = sizeUpdate(SIZE, false).toString('base64')
  yield `${JSON.stringify({ version: 1, kind: 'desktop', timestamp: 1_790_000_000, title: 'bench' })}\n`
  for (let second = 0; second < HOURS * 3600; second += KEY_SECONDS) {
    yield line(second, 'k', size)
    yield line(second, 'o', first)
    for (const update of whole) yield line(second, 'o', update)
    yield line(second, 'w', '')
    for (let n = 1; n < KEY_SECONDS * PICTURES_A_SECOND; n++)
      yield line(second + n / PICTURES_A_SECOND, 'o', moves[n % moves.length])
  }
}

/** The updates of a whole picture, and of what moves on it; made once, by the gateway's own encoder. */
function pictures(): { whole: string[]; moves: string[] } {
  const picture = new Picture(SIZE.width, SIZE.height)
  const view = new View(picture)
  picture.attach(view)
  const taken = () => {
    const updates: string[] = []
    for (let some = view.take(); some; some = view.take())
      updates.push(Buffer.concat([updateHead(some.count), some.bytes]).toString('base64'))
    return updates
  }
  // Letters on paper, in rows: what desktops mostly show.
  for (let n = 0; n < 20_000; n++) {
    const at = (n * 2_654_435_761) >>> 0
    picture.fill({ x: at % 1270, y: ((at >> 11) % 40) * 20, width: 2 + (n % 7), height: 9 }, at & 0xffffff)
  }
  view.takeSize()
  view.everything()
  const whole = taken()
  const moves = Array.from({ length: 50 }, (_, n) => {
    const area = { x: 640 + n * 4, y: 256, width: 256, height: 192 }
    for (let row = 0; row < area.height; row += 6) picture.fill({ ...area, y: area.y + row, height: 3 }, (n * row) << 4)
    picture.touch(area)
    return taken()
  })
  return { whole, moves: moves.flat() }
}

/** Makes one, and says what opening it and jumping in it takes. */
export async function measureRecording(server: Server, token: string): Promise<string> {
  const { kernel, url } = server
  const who = { user: 'Bench(bench)', asset: 'desk-1', system_user: 'ann', user_id: randomUUID() }
  const session = { id: '', date_start: new Date() }
  session.id = await createSession(kernel.db, {
    ...who,
    ...{ org_id: ORG, asset_id: randomUUID(), system_user_id: randomUUID() },
    ...{ login_from: 'WT', remote_addr: '127.0.0.1', protocol: 'rdp', date_start: session.date_start },
  })
  const target = await replayPath(kernel, session, '.desktop.gz')
  const source = target.replace(/\.gz$/, '')
  await pipeline(Readable.from(recorded()), createWriteStream(source))
  const plain = (await stat(source)).size
  const began = performance.now()
  await packInThread({ source, isPacked: false, target, suffix: '.part' })
  const packing = (performance.now() - began) / 1000
  await finishSession(kernel.db, session.id)
  await markReplay(kernel, session.id)

  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${token}`, 'x-jms-org': ORG }
    const answer = await fetch(`${url}/api/v1/terminal/sessions/${session.id}/replay/${path}`, { headers })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
    return answer.text()
  }
  /** The picture of a moment, from the whole one before it. */
  const show = async ({ parts }: ReplayIndex, seconds: number) => {
    const n = parts.findLastIndex(({ time }) => time <= seconds)
    const picture = new DesktopPicture()
    for (const text of (await get(`part/${n}/`)).split('\n')) {
      if (!text.startsWith('[')) continue
      const [time, code, data] = JSON.parse(text)
      if (time > seconds) break
      if (code === 'o') picture.apply(bytesOf(data))
    }
    if (picture.width !== SIZE.width) throw new Error('there is no picture')
  }
  const timed = async (work: () => Promise<unknown>) => {
    const start = performance.now()
    await work()
    return performance.now() - start
  }
  let index = {} as ReplayIndex
  const open = await timed(async () => {
    index = JSON.parse(await get('index/'))
    await show(index, 0)
  })
  const jumps: number[] = []
  for (let n = 0; n < JUMPS; n++) jumps.push(await timed(() => show(index, Math.random() * index.duration)))
  const ms = (value: number) => `${value.toFixed(0)} ms`
  return [
    `a recording of ${HOURS} h, ${(plain / 1e6).toFixed(0)} MB, packed into ${((await stat(target)).size / 1e6).toFixed(0)} MB in ${packing.toFixed(1)} s`,
    `opened in ${ms(open)}`,
    `a jump takes ${ms(median(jumps))} (median), ${ms(Math.max(...jumps))} (slowest of ${JUMPS})`,
  ].join(', ')
}
