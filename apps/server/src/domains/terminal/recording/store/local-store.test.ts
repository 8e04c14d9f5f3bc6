import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLocalStore } from './local-store.ts'
import type { RecordingStore } from './recording-store.ts'

const NAME = '2026-11-21/0b0e7a8e-0000-4000-8000-000000000001.cast.gz'
let folder: string
let store: RecordingStore

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordings-'))
  store = createLocalStore(join(folder, 'replay'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function keep(name: string, content: string): Promise<void> {
  await writeFile(await store.draft(name), content)
  await store.keep(name)
}

test('what is kept is found and read, whole or in part, by streams and as a file', async () => {
  await keep(NAME, '0123456789')
  expect(await store.find(NAME)).toMatchObject({ name: NAME, bytes: 10 })
  expect(await text(store.open(NAME))).toBe('0123456789')
  expect(await text(store.open(NAME, { from: 3, bytes: 4 }))).toBe('3456')
  expect(await text(store.open(NAME, { from: 8, bytes: 100 }))).toBe('89')
  expect(await text(store.open(NAME, { from: 0, bytes: 0 }))).toBe('')
  expect(await store.withLocalFile(NAME, (path) => readFile(path, 'utf8'))).toBe('0123456789')
})

test('what is kept anew has another version', async () => {
  await keep(NAME, 'one')
  const before = await store.find(NAME)
  await keep(NAME, 'another')
  expect((await store.find(NAME))?.version).not.toBe(before?.version)
})

test('what is not there is not found, cannot be read, and can be removed', async () => {
  expect(await store.find(NAME)).toBeUndefined()
  expect(await store.find('2026-11-21')).toBeUndefined()
  await expect(text(store.open(NAME))).rejects.toThrow('ENOENT')
  await store.remove(NAME)
  await store.keep(NAME)
})

test('old files are those of days before, last changed before; a day goes with its last file', async () => {
  const old = '2026-11-20/old.cast.gz'
  for (const name of [old, '2026-11-20/touched.cast.gz', '2026-11-22/young.cast.gz']) await keep(name, name)
  await writeFile(join(folder, 'replay', 'a-file-of-somebody'), '')
  const before = new Date('2026-11-21T12:00:00Z')
  for (const name of [old, '2026-11-22/young.cast.gz'])
    await utimes(join(folder, 'replay', name), before, new Date('2026-11-20T10:00:00Z'))
  await utimes(join(folder, 'replay', '2026-11-20/touched.cast.gz'), before, new Date('2026-11-23T00:00:00Z'))
  const names: string[] = []
  for await (const name of store.olderThan(before)) names.push(name)
  expect(names).toEqual([old])
  await store.remove(old)
  expect(await readdir(join(folder, 'replay', '2026-11-20'))).toEqual(['touched.cast.gz'])
  await store.remove('2026-11-20/touched.cast.gz')
  expect((await readdir(join(folder, 'replay'))).toSorted()).toEqual(['2026-11-22', 'a-file-of-somebody'])
})
