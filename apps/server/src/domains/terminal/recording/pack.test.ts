import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { parseReplayEvent } from '@sallyport/contract/replay.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Emulator } from './emulator.ts'
import { packCast } from './pack.ts'
import { isIntact, readPiece, readScreen } from './pieces.ts'
import { createLocalStore } from './store/local-store.ts'
import type { InStore } from './store/recording-store.ts'
import { readIndex } from './stored-index.ts'

const HEADER = '{"version":2,"width":80,"height":24,"timestamp":1700000000}\n'
let folder: string
let source: string
let target: string
let replay: InStore

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pack-'))
  source = join(folder, 'x.cast')
  target = join(folder, 'x.cast.gz')
  replay = { store: createLocalStore(folder), name: 'x.cast.gz' }
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const line = (time: number, data: string, code = 'o') => `${JSON.stringify([time, code, data])}\n`
async function pack(recording: string | Buffer): Promise<boolean> {
  await writeFile(source, recording)
  return packCast({ source, isPacked: false, target, suffix: '.part' })
}
const unpacked = async () => gunzipSync(await readFile(target))
async function stored() {
  const index = await readIndex(replay)
  if (!index) throw new Error('no index')
  return index
}

/** All output of some lines. */
const textOf = (lines: string) =>
  lines
    .split('\n')
    .map((one) => parseReplayEvent(one)?.data ?? '')
    .join('')

/** Colors, moves and wrapped lines, about 100 bytes a second for hours. */
function busySession(events: number): string {
  const lines = [HEADER]
  for (let n = 1; n <= events; n++) {
    const text = n % 97 === 0 ? '\x1b[2J\x1b[H' : `\x1b[3${n % 8}mline ${n} \x1b[0m${'中文 words '.repeat(n % 11)}\r\n`
    lines.push(line(n / 2, text))
  }
  return lines.join('')
}

test('a packed recording is one gzip member with the same bytes; every piece can be read alone', async () => {
  const recording = busySession(20_000)
  expect(await pack(recording)).toBe(true)
  expect((await unpacked()).toString()).toBe(recording)
  const index = await stored()
  expect(index).toMatchObject({
    start: 1_700_000_000,
    duration: 10_000,
    cols: 80,
    rows: 24,
    bytes: Buffer.byteLength(recording),
  })
  expect(index.sha256).toBe(createHash('sha256').update(recording).digest('hex'))
  expect(index.parts.length).toBeGreaterThan(10)
  const pieces = []
  for (const part of index.parts) pieces.push(gunzipSync(await readPiece(replay, part)).toString())
  expect(pieces.join('')).toBe(recording)
  for (const [n, piece] of pieces.entries()) {
    const first = piece.split('\n').map(parseReplayEvent).find(Boolean)
    expect(index.parts[n]?.time).toBe(n === 0 ? 0 : first?.time)
  }
})

test('the screen at a key frame is what playing from the beginning would show there', async () => {
  await pack(busySession(8000))
  const { parts } = await stored()
  expect(parts.length).toBeGreaterThan(3)
  const played = new Emulator({ cols: 80, rows: 24 })
  for (const part of parts) {
    expect(gunzipSync(await readScreen(replay, part)).toString()).toBe(played.snapshot())
    await played.write(textOf(gunzipSync(await readPiece(replay, part)).toString()))
  }
})

test('playing on from a key frame shows what playing from the beginning shows, whatever programs did', async () => {
  const things = [
    '\x1b[?1049h\x1b[2J\x1b[5;20r\x1b[10;10H\x1b[7mother screen\x1b[0m',
    '\x1b[?1049l',
    '\x1b[4mlong line that wraps 中文\x1b[0m '.repeat(9),
    '\x1b[3;5Hhere\x1b[K\x1b[1;31m',
    '\x1b[2L\x1b[4P\x1b[3@',
    '\x1b[38;2;10;200;30mtrue color\x1b[48;5;17m on blue\x1b[0m\r\n',
    '\x1b[?25l\x1b[?2004h\x1b[?1h',
    '\x1b[?25h\x1b[?2004l\x1b[?1l',
    'a\tb\r\n'.repeat(30),
    '\x1b[H\x1b[J',
    '\x1b[2;22r\x1b[22;1H\n\n\nscrolled',
    '\x1b[r',
    '👨‍👩‍👧 e\u0301 ｗｉｄｅ\r\n',
    'x'.repeat(80),
  ]
  // By a fixed rule that looks like chance, so that a failure can be repeated.
  let seed = 7
  const chance = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % below
  const lines = Array.from({ length: 20_000 }, (_, n) =>
    line(n, `${things[chance(things.length)]}${chance(5) ? '' : '\r\n'.repeat(chance(4))}`),
  )
  await pack(`${HEADER}${lines.join('')}`)
  const { parts } = await stored()
  expect(parts.length).toBeGreaterThan(10)
  const texts = await Promise.all(
    parts.map(async (part) => textOf(gunzipSync(await readPiece(replay, part)).toString())),
  )
  const played = new Emulator({ cols: 80, rows: 24 })
  for (const [n, part] of parts.entries()) {
    const restored = new Emulator(part)
    await restored.write(gunzipSync(await readScreen(replay, part)).toString())
    await restored.write(texts[n] ?? '')
    await played.write(texts[n] ?? '')
    expect([n, restored.snapshot()]).toEqual([n, played.snapshot()])
  }
})

test('a screen brings back the scroll region, the hidden cursor and the other screen', async () => {
  const before = '\x1b[31mred\x1b[?25l\x1b[3;10r\x1b[9;5Hab'
  const after = '\r\n\r\n\r\nbelow\x1b[?1049h\x1b[5;5Hother'
  const [straight, restored] = [new Emulator({ cols: 80, rows: 24 }), new Emulator({ cols: 80, rows: 24 })]
  await straight.write(before)
  await restored.write(straight.snapshot())
  for (const one of [straight, restored]) await one.write(after)
  expect(restored.snapshot()).toBe(straight.snapshot())
})

test('the terminal’s size is known at every key frame, and absurd sizes are held within reason', async () => {
  const noise = Array.from({ length: 300 }, (_, n) => line(n, 'x'.repeat(4000))).join('')
  await pack(
    `${HEADER}${line(0, '120x40', 'r')}${noise}${line(301, '99999999x99999999', 'r')}${line(302, 'nonsense', 'r')}${noise.replaceAll('[', '[9')}`,
  )
  const { parts, cols, rows } = await stored()
  expect(parts[0]).toMatchObject({ cols: 80, rows: 24 })
  expect(parts[1]).toMatchObject({ cols: 120, rows: 40 })
  expect([cols, rows]).toEqual([1000, 500])
})

test('a flood is cut by its size, so that no piece is long to fetch', async () => {
  await pack(
    `${HEADER}${Array.from({ length: 2000 }, (_, n) => line(n / 2000, `${n} ${'z'.repeat(4000)}\r\n`)).join('')}`,
  )
  const { parts, duration } = await stored()
  expect(duration).toBeLessThan(1)
  expect(parts.length).toBeGreaterThan(10)
  for (const { bytes } of parts) expect(bytes).toBeLessThan(600_000)
})

test('no piece begins in the middle of a control sequence', async () => {
  const events = Array.from({ length: 4000 }, (_, n) =>
    n % 2 ? line(n, `${n % 100}mfine ${'y'.repeat(300)}`) : line(n, `${'x'.repeat(300)}\x1b[3`),
  )
  await pack(`${HEADER}${events.join('')}`)
  const { parts } = await stored()
  expect(parts.length).toBeGreaterThan(3)
  for (const part of parts.slice(1))
    expect(gunzipSync(await readPiece(replay, part)).toString()).toMatch(/^\[\d+,"o","x/)
})

test('hostile content: broken UTF-8, damaged lines, times that go back, sequences that repeat for ever', async () => {
  const recording = Buffer.concat([
    Buffer.from(HEADER),
    Buffer.from('[1,"o","a\\ud800'),
    Buffer.from([0xff, 0xfe, 0xc3]),
    Buffer.from('"]\n{"not":"an event"}\n[2,"o"]\n[1e300,"o","never"]\n[null,"o","x"]\n\n'),
    Buffer.from(line(5, 'a\x1b[2147483647b\x1b[2147483647S\x1b[2147483647L</script>')),
    Buffer.from(line(3, 'back')),
    Buffer.from(line(6, `\x1b]0;${'t'.repeat(100_000)}`)),
    Buffer.from('[7,"o","no line feed"]'),
  ])
  expect(await pack(recording)).toBe(true)
  expect(await unpacked()).toEqual(recording)
  expect(await stored()).toMatchObject({ duration: 7, bytes: recording.length })
})

test('a file that is no recording, or has a line without end, is packed whole and without an index', async () => {
  for (const recording of ['', 'no header\n', '{"version":1}\n', `${HEADER}[1,"o","${'x'.repeat(9_000_000)}"]\n`]) {
    expect(await pack(recording)).toBe(false)
    expect((await unpacked()).toString()).toBe(recording)
    expect((await readdir(folder)).sort()).toEqual(['x.cast', 'x.cast.gz'])
  }
})

test('a recording of the old kind of packing gets its index; a damaged one stays as it is', async () => {
  const recording = busySession(5000)
  const old = gzipSync(recording)
  const index = () => packCast({ source: target, isPacked: true, target, suffix: '.indexing' })
  await writeFile(target, old.subarray(0, -100))
  await expect(index()).rejects.toThrow()
  expect(await readFile(target)).toEqual(old.subarray(0, -100))
  await writeFile(target, gzipSync('not a cast'))
  expect(await index()).toBe(false)
  expect(await readdir(folder)).toEqual(['x.cast.gz'])
  await writeFile(target, old)
  expect(await index()).toBe(true)
  expect((await unpacked()).toString()).toBe(recording)
  expect((await stored()).parts.length).toBeGreaterThan(3)
})

test('a recording that unpacks to more than is allowed is not indexed', async () => {
  await writeFile(target, gzipSync(busySession(5000)))
  expect(await packCast({ source: target, isPacked: true, target, suffix: '.indexing', maxBytes: 100_000 })).toBe(false)
  expect(await readdir(folder)).toEqual(['x.cast.gz'])
})

test('a packing that cannot be written leaves nothing behind, least of all an older index', async () => {
  await writeFile(source, busySession(100))
  await expect(
    packCast({ source, isPacked: false, target: join(folder, 'missing', 'x.cast.gz'), suffix: '.part' }),
  ).rejects.toThrow('ENOENT')
  await expect(packCast({ source: join(folder, 'no.cast'), isPacked: false, target, suffix: '.part' })).rejects.toThrow(
    'ENOENT',
  )
  expect(await readdir(folder)).toEqual(['x.cast'])
  await pack(busySession(100))
  await pack('no header')
  expect(await readIndex(replay)).toBeUndefined()
})

test('a recording that was altered is found out, whole and by the piece', async () => {
  await pack(busySession(20_000))
  const index = await stored()
  expect(await isIntact(replay, index, null)).toBe(true)
  expect(await isIntact(replay, index, index.sha256)).toBe(true)
  expect(await isIntact(replay, index, '0'.repeat(64))).toBe(false)
  const bytes = await readFile(target)
  const [first, second] = index.parts
  if (!first || !second) throw new Error('too few pieces')
  bytes[second.at + 20] = (bytes[second.at + 20] ?? 0) ^ 1
  await writeFile(target, bytes)
  expect(await isIntact(replay, index, null)).toBe(false)
  await expect(readPiece(replay, second)).rejects.toMatchObject({ status: 409, code: 'replay_altered' })
  await expect(readPiece(replay, first)).resolves.toBeDefined()
  await writeFile(target, bytes.subarray(0, second.at))
  expect(await isIntact(replay, index, null)).toBe(false)
  await expect(readPiece(replay, second)).rejects.toMatchObject({ status: 409 })
})
