import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { SharedFolder } from './shared-folder.ts'
import { UploadsInParts } from './uploads-in-parts.ts'

function room() {
  const place = mkdtempSync(join(tmpdir(), 'sallyport-parts-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const folder = new SharedFolder(place)
  const uploads = new UploadsInParts((name, content) => folder.receive(name, content))
  const take = (name: string, body: string | Readable, more: boolean, upload?: string, offset = 0) =>
    uploads.take({
      ...{ name, upload, offset, more },
      body: typeof body === 'string' ? Readable.from([Buffer.from(body)]) : body,
    })
  const begin = async (name: string, body: string) => String(await take(name, body, true))
  return { place, folder, uploads, take, begin }
}

test('[A1.06] parts of several uploads become a file each, under the next name that is free', async () => {
  const { folder, take, begin } = room()
  const [one, two] = [await begin('a.txt', 'ab'), await begin('a.txt', 'xyz')]
  expect(await take('a.txt', 'c', true, one, 2)).toBe(one)
  expect(folder.entries).toEqual([])
  expect(await take('a.txt', '', false, two, 3)).toMatchObject({ path: 'a.txt', size: 3, isFromPerson: true })
  const last = await take('a.txt', 'de', false, one, 3)
  expect(last).toMatchObject({ path: 'a (2).txt', size: 5 })
  expect(String(typeof last === 'object' && (await folder.read(last, 0, 9)))).toBe('abcde')
  await expect(take('a.txt', 'f', false, one, 5)).rejects.toMatchObject({ status: 409 })
})

test('[A1.06] nothing stays of an upload that goes on elsewhere, breaks off or is given up', async () => {
  const { place, folder, uploads, take, begin } = room()
  const full = folder.bytesLeft
  await expect(take('a', 'x', false, await begin('a', 'ab'), 3)).rejects.toMatchObject({ status: 409 })
  const broken = Readable.from(
    (async function* () {
      yield Buffer.from('c')
      throw new Error('the line broke')
    })(),
  )
  await expect(take('b', broken, true, await begin('b', 'ab'), 2)).rejects.toThrow('the line broke')
  const given = await begin('c', 'ab')
  uploads.close()
  await expect(take('c', 'd', false, given, 2)).rejects.toMatchObject({})
  await expect.poll(() => [folder.bytesLeft, readdirSync(place)]).toEqual([full, []])
})

test('[A1.06] a session has so many uploads under way, and no more', async () => {
  const { uploads, begin } = room()
  for (let n = 0; n < 16; n++) await begin(`${n}`, 'x')
  await expect(begin('one more', 'x')).rejects.toMatchObject({ fault: 'full' })
  uploads.close()
})
