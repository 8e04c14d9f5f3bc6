import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../../../config.ts'
import { placeRecording } from './index.ts'

const SESSION = {
  id: 'b0000000-0000-4000-8000-000000000001',
  date_start: new Date('2026-01-31T08:00:00Z'),
  has_replay: false,
}
const NAME = `${SESSION.id}.cast.gz`
const SECRET = gzipSync('a file of the host that is no recording')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-arriving-'))
  for (const name of ['media', 'elsewhere', 'data']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'elsewhere', NAME), SECRET)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const place = (path: string, isCopied: boolean) => {
  const config = loadConfig({
    ...{ DATABASE_URL: 'postgres://nowhere/none', SALLYPORT_SECRET_KEY: 'a key of the tests that is long enough' },
    SALLYPORT_DATA_DIR: join(folder, 'data'),
  })
  return placeRecording({ config }, SESSION, { path, suffix: '.cast.gz' }, { isCopied, isTried: false })
}
/** All files below the folder of this installation. */
const kept = () =>
  readdirSync(join(folder, 'data'), { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())

test('a recording in whose place a link was put is neither copied nor linked, and leaves nothing', async () => {
  const path = join(folder, 'media', NAME)
  symlinkSync(join(folder, 'elsewhere', NAME), path)
  for (const isCopied of [true, false]) await expect(place(path, isCopied)).rejects.toMatchObject({ code: 'ELOOP' })
  expect(kept()).toEqual([])
})

test('the copy of a file is whole, and of this installation alone', async () => {
  const path = join(folder, 'elsewhere', NAME)
  expect(await place(path, true)).toMatchObject({ suffix: '.cast.gz' })
  const [copy, ...others] = kept()
  expect([copy?.isFile(), others]).toEqual([true, []])
  expect(readFileSync(join(copy?.parentPath ?? '', copy?.name ?? ''))).toEqual(SECRET)
})
