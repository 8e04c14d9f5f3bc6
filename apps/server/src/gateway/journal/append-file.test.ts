import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AppendFile } from './append-file.ts'

let path: string
let file: AppendFile

beforeEach(async () => {
  path = join(mkdtempSync(join(tmpdir(), 'sallyport-append-')), 'lines')
  file = (await AppendFile.open(path)).file
})
afterEach(async () => {
  await file.close()
  rmSync(join(path, '..'), { recursive: true })
})

const lines = () => readFileSync(path, 'utf8').split('\n').slice(0, -1)

test('a line is in the file as soon as it was added', () => {
  file.append('one')
  expect(lines()).toEqual(['one'])
  file.append('two, ünd more')
  expect(lines()).toEqual(['one', 'two, ünd more'])
  expect(file.length).toBe(Buffer.byteLength(readFileSync(path)))
})

test('lines added while the file is rewritten are in the file at every moment, and in the new one', async () => {
  file.append('needed')
  file.append('no more needed')
  const added: string[] = []
  let isRewritten = false
  const rewritten = file.rewrite(() => ['needed', ...added])
  void rewritten.then(() => {
    isRewritten = true
  })
  while (!isRewritten) {
    added.push(`line ${added.length}`)
    file.append(added.at(-1) ?? '')
    expect(lines()).toContain(added.at(-1))
    await new Promise(setImmediate)
  }
  await rewritten
  file.append('last')
  expect(lines()).toEqual(['needed', ...added, 'last'])
  expect(file.length).toBe(Buffer.byteLength(readFileSync(path)))
})

test('a line that a crash has cut off is dropped, and the next one is whole', async () => {
  file.append('whole')
  file.append('cut off')
  await file.close()
  truncateSync(path, 'whole\ncut'.length)
  const again = await AppendFile.open(path)
  file = again.file
  expect(again.lines).toEqual(['whole'])
  file.append('next')
  expect(lines()).toEqual(['whole', 'next'])
})
