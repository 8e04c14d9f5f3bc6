import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packCast } from '../pack.ts'
import { gzipOfPiece } from '../packed-file.ts'
import { readPiece } from '../pieces.ts'
import type { RecordingStore } from '../store/recording-store.ts'
import type { StoredIndex, StoredPart } from '../stored-index.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-desktop-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const HEADER = '{"version":1,"kind":"desktop","timestamp":1790000000,"title":"x"}'
const line = (...event: unknown[]) => JSON.stringify(event)
const picture = (bytes: number) => 'A'.repeat(bytes)

async function packed(
  lines: readonly string[],
): Promise<{ index: StoredIndex; texts: string[]; text: string; name: string }> {
  const source = join(folder, `${crypto.randomUUID()}.desktop`)
  const text = `${lines.join('\n')}\n`
  await writeFile(source, text)
  expect(await packCast({ source, isPacked: false, target: `${source}.gz`, suffix: '.part' })).toBe(true)
  const index: StoredIndex = JSON.parse(await readFile(source.replace('.desktop', '.index.json'), 'utf8'))
  const file = await readFile(`${source}.gz`)
  expect(gunzipSync(file).toString()).toBe(text)
  const texts = index.parts.map((part) =>
    gunzipSync(gzipOfPiece(file.subarray(part.at, part.at + part.length), part)).toString(),
  )
  return { index, texts, text, name: `${source}.gz` }
}

test('four hours of a desktop are cut at whole pictures, from each of which it can be played', async () => {
  const keys = Array.from({ length: 480 }, (_, n) => n * 30)
  const lines = keys.flatMap((second) => [
    line(second, 'k', '1280x800'),
    line(second, 'o', picture(20_000)),
    line(second + 0.4, 'w', ''),
    ...Array.from({ length: 10 }, (_, n) => line(second + 1 + n, 'o', picture(6000))),
  ])
  const { index, texts, text } = await packed([HEADER, ...lines])
  expect(index).toMatchObject({ start: 1790000000, duration: 479 * 30 + 10, cols: 1280, rows: 800 })
  expect(index.parts).toHaveLength(480)
  expect(index.parts.slice(0, 3).map(({ time }) => time)).toEqual([0, 30.4, 60.4])
  expect(texts.join('')).toBe(text)
  for (const one of texts.slice(1)) expect(one).toMatch(/^\[\d+,"k","1280x800"\]\n/)
  expect(Math.max(...index.parts.map(({ bytes }) => bytes))).toBeLessThan(100_000)
})

test('a moment is shown from the last whole picture before it: of a long recording no more is read than that', async () => {
  const painted = (n: number) => picture(60_000 + n)
  const lines = Array.from({ length: 40 }, (_, n) => [
    ...[line(n * 30, 'k', '64x48'), line(n * 30, 'o', painted(n)), line(n * 30 + 0.2, 'w', '')],
    ...[line(n * 30 + 10, 'o', picture(8000)), line(n * 30 + 20, 'o', picture(8000))],
  ]).flat()
  const { index, name } = await packed([HEADER, ...lines])
  const read: number[] = []
  const store = {
    open: (path: string, { from, bytes }: { from: number; bytes: number }) => {
      read.push(bytes)
      return createReadStream(path, { start: from, end: from + bytes - 1 })
    },
  } as unknown as RecordingStore
  const part = index.parts.findLast(({ time }) => time <= 25 * 30 + 15) as StoredPart
  const events = gunzipSync(await readPiece({ store, name }, part)).toString()
  expect(events.startsWith(`${line(750, 'k', '64x48')}\n${line(750, 'o', painted(25))}\n`)).toBe(true)
  expect(events.match(/"o"/g)).toHaveLength(3)
  expect(read).toEqual([part.length])
  expect(part.length).toBeLessThan(index.packedBytes / 20)
})

test('marks of keys have places of their own: however many, others are in the index as well', async () => {
  const keys = Array.from({ length: 2100 }, (_, n) => line(n, 'm', { kind: 'keys', count: 3 }))
  const { index } = await packed([HEADER, ...keys, line(2200, 'm', { kind: 'notice', text: 'late' })])
  expect(index.marks).toHaveLength(2001)
  expect(index.marks?.at(-1)).toEqual({ time: 2200, kind: 'notice', text: 'late' })
})

test('a whole picture that another size cut short is no place to begin, nor is what is hardly any', async () => {
  const { index, texts } = await packed([
    HEADER,
    ...[line(0, 'k', '800x600'), line(0, 'o', picture(100_000)), line(0.1, 'w', '')],
    ...[line(5, 'k', '800x600'), line(5, 'o', picture(10))],
    ...[line(6, 'k', '1024x768'), line(6, 'o', picture(500)), line(6.2, 'w', '')],
    ...[line(7, 'k', '1024x768'), line(7, 'o', picture(500)), line(7.2, 'w', '')],
    line(9, 'm', { kind: 'paste', characters: 12 }),
    line(10, 'o', picture(10)),
  ])
  expect(index.parts.map(({ time, cols }) => [time, cols])).toEqual([
    [0, 800],
    [6.2, 1024],
  ])
  expect(texts[1]).toMatch(/^\[6,"k","1024x768"\]/)
  expect(index).toMatchObject({
    duration: 10,
    cols: 1024,
    rows: 768,
    marks: [{ time: 9, kind: 'paste', characters: 12 }],
  })
})
