import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { KeptRows } from './kept-rows.ts'

const MEGABYTE = 1024 * 1024
const OF = { statement: 0, result: 1 }
/** Rows of some hundred bytes that say which they are. */
const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => [String(from + at), 'x'.repeat(300), null])

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-kept-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}
function kept({ directory = folder(), limit = 16 * MEGABYTE, left = Number.POSITIVE_INFINITY } = {}) {
  const taken = { bytes: 0 }
  const space = {
    claim(bytes: number) {
      const isThere = taken.bytes + bytes <= left
      if (isThere) taken.bytes += bytes
      return isThere
    },
    release: (bytes: number) => void (taken.bytes -= bytes),
  }
  const all = new KeptRows({ directory, limit, space })
  onTestFinished(() => all.close())
  all.begin(1)
  const numbersFrom = async (wanted: { from: number } | { to: number }) => {
    const found = await all.read(1, OF, wanted)
    return found && [found.from, found.rows.map(([number]) => Number(number))]
  }
  return { all, taken, numbersFrom }
}
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)

test('a value that was changed meanwhile is another one when its row is had again, on the disk or not', async () => {
  const { all } = kept()
  all.add(OF, rows(0, 400))
  all.add(OF, rows(400, 20))
  for (const at of [7, 410]) all.change({ ...OF, at, column: 2, value: 'new' })
  all.change({ statement: 1, result: 1, at: 8, column: 2, value: 'of another result' })
  for (const [at, value] of [
    [7, 'new'],
    [8, null],
    [410, 'new'],
  ] as const)
    expect((await all.read(1, OF, { from: at }))?.rows[0]?.[2]).toBe(value)
})

test('kept rows of a run are gone with the next one, and their space is free again', async () => {
  const { all, taken, numbersFrom } = kept()
  all.add(OF, rows(0, 400))
  expect(await numbersFrom({ from: 0 })).toEqual([0, numbers(0, 400)])
  expect(taken.bytes).toBeGreaterThan(0)
  all.begin(2)
  expect([await numbersFrom({ from: 0 }), all.first(OF)]).toEqual([undefined, undefined])
  await expect.poll(() => taken.bytes).toBe(0)
})

test('where the node has no space left, a workbench keeps in what it has: the newest, or what is in memory alone', async () => {
  const some = kept({ limit: 64 * MEGABYTE, left: 8 * MEGABYTE })
  for (let at = 0; at < 40_000; at += 400) some.all.add(OF, rows(at, 400))
  const first = some.all.first(OF) as number
  expect(first).toBeGreaterThan(10_000)
  expect(await some.numbersFrom({ from: first })).toEqual([first, expect.arrayContaining([first, first + 1])])
  expect(await some.numbersFrom({ from: first - 1 })).toBeUndefined()
  expect(some.taken.bytes).toBe(8 * MEGABYTE)
  const none = kept({ left: 0 })
  none.all.add(OF, rows(0, 400))
  none.all.add(OF, rows(400, 20))
  expect([none.all.first(OF), none.all.count(OF)]).toEqual([400, 420])
  expect(await none.numbersFrom({ to: 420 })).toEqual([400, numbers(400, 420)])
})

test('a disk that takes nothing costs the way back, and nothing else', async () => {
  const directory = join(folder(), 'file')
  writeFileSync(directory, '')
  const { all, taken, numbersFrom } = kept({ directory })
  all.add(OF, rows(0, 400))
  await expect.poll(() => all.first(OF)).toBe(400)
  await expect.poll(() => taken.bytes).toBe(0)
  all.add(OF, rows(400, 20))
  expect(await numbersFrom({ from: 400 })).toEqual([400, numbers(400, 420)])
})

test('where nothing is to be kept, nothing is', async () => {
  const { all, taken, numbersFrom } = kept({ limit: 0 })
  all.add(OF, rows(0, 400))
  expect([all.isOn, await numbersFrom({ from: 0 }), taken.bytes]).toEqual([false, undefined, 0])
})
