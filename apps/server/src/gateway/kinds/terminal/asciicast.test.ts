import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { packRecording } from '../../recording/packing.ts'
import { Asciicast } from './asciicast.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-recorder-'))
})
afterEach(async () => {
  vi.useRealTimers()
  await rm(folder, { recursive: true })
})

const SIZE = { cols: 80, rows: 24 }

async function recorderOf(now?: () => number): Promise<Asciicast> {
  return Asciicast.open(join(folder, 'x.cast'), {
    size: SIZE,
    title: 't',
    startedAt: new Date(),
    ...(now ? { now } : {}),
  })
}

type Event = [seconds: number, code: string, data: string]
function read(text: string): { header: Record<string, unknown>; events: Event[] } {
  const [header = '', ...lines] = text.trimEnd().split('\n')
  return { header: JSON.parse(header), events: lines.map((line) => JSON.parse(line)) }
}
const textOf = (events: Event[]) => events.flatMap(([, code, data]) => (code === 'o' ? [data] : [])).join('')

/** The same numbers for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const PIECES = [
  'plain ',
  'é',
  '你好',
  '😀',
  '\x1b[31m',
  '\r\n',
  '"\\',
  '\u2028',
  '\0',
  Buffer.of(0xff, 0xfe),
  Buffer.of(0xe4, 0xbd),
  Buffer.of(0xc0),
]

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'text and binary cut anywhere is recorded as the stream decodes, seed %i',
  async (seed) => {
    const random = randomOf(seed)
    const stream = Buffer.concat(
      Array.from({ length: 2000 }, () => Buffer.from(PIECES[Math.floor(random() * PIECES.length)] as string)),
    )
    const recorder = await recorderOf()
    const seen: string[] = []
    for (let at = 0; at < stream.length; ) {
      const length = 1 + Math.floor(random() * (random() < 0.1 ? 500 : 4))
      seen.push(recorder.output(stream.subarray(at, at + length)).text)
      at += length
    }
    await recorder.close()
    const { header, events } = read(await readFile(recorder.path, 'utf8'))
    const decoded = stream.toString('utf8')
    expect(header).toMatchObject({ version: 2, width: 80, height: 24 })
    expect(textOf(events)).toBe(decoded)
    expect(decoded.startsWith(seen.join(''))).toBe(true)
  },
)

test('moments never go back, and sizes are where they changed', async () => {
  const moments = [0, 1000, 1500, 2000.5, 2000.5]
  let at = 0
  const recorder = await recorderOf(() => moments[Math.min(at++, moments.length - 1)] ?? 0)
  recorder.output(Buffer.from('a'))
  recorder.resize({ cols: 100, rows: 30 })
  recorder.output(Buffer.from('b'))
  await recorder.close()
  const { events } = read(await readFile(recorder.path, 'utf8'))
  expect(events.map(([, code, data]) => [code, data])).toEqual([
    ['o', 'a'],
    ['r', '100x30'],
    ['o', 'b'],
  ])
  const seconds = events.map(([moment]) => moment)
  expect(seconds).toEqual([...seconds].sort((a, b) => a - b))
  expect((seconds[2] ?? 0) - (seconds[0] ?? 0)).toBeCloseTo(1.0005, 3)
})

test('output is in the file within a second', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const recorder = await recorderOf()
  recorder.output(Buffer.from('first'))
  expect(read(await readFile(recorder.path, 'utf8')).events).toEqual([])
  vi.advanceTimersByTime(1000)
  await recorder.written()
  expect(textOf(read(await readFile(recorder.path, 'utf8')).events)).toBe('first')
  // Steady output does not push the moment away.
  for (let n = 0; n < 10; n++) {
    recorder.output(Buffer.from(String(n)))
    vi.advanceTimersByTime(100)
  }
  const shown = async () => textOf(read(await readFile(recorder.path, 'utf8')).events)
  await vi.waitFor(async () => expect(await shown()).toMatch(/^first0123/), { timeout: 120_000 })
  await recorder.close()
})

test('a disk that is behind holds the machine back, and lets it go on when it has caught up', async () => {
  const recorder = await recorderOf()
  const piece = Buffer.alloc(64 * 1024, 'x')
  const { promise: drained, resolve } = Promise.withResolvers<void>()
  recorder.onDrain = resolve
  let pieces = 0
  while (recorder.output(piece).ready) if (++pieces > 1000) throw new Error('never held back')
  expect(pieces * piece.length).toBeLessThan(8 * 1024 * 1024)
  await drained
  expect(recorder.output(piece).ready).toBe(true)
  await recorder.close()
})

test('the packed file holds the same, and a failed packing leaves nothing behind', async () => {
  const recorder = await recorderOf()
  recorder.output(Buffer.from('kept'))
  await recorder.close()
  const plain = await readFile(recorder.path)
  expect(gunzipSync(await readFile(await packRecording(recorder.path)))).toEqual(plain)
  await expect(packRecording(join(folder, 'missing.cast'))).rejects.toThrow()
  expect((await readdir(folder)).sort()).toEqual(['x.cast', 'x.cast.gz', 'x.index.json', 'x.screens.gz'])
  // Nobody's recording is written over.
  await expect(recorderOf()).rejects.toThrow(/EEXIST/)
})
