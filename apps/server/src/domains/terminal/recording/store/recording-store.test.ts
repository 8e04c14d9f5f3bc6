import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BlobContainer, startBlobContainer } from '../../../../../test/blob-container.ts'
import { BUCKET, type ObjectStore, startObjectStore } from '../../../../../test/object-store.ts'
import { StartRefusal } from '../../../../kernel/start-refusal.ts'
import { checkRecordingStore } from '../replay-file.ts'
import { AzureContainer, type AzurePlace } from './azure-container.ts'
import { createBucketStore } from './bucket-store.ts'
import { createLocalStore } from './local-store.ts'
import { type RecordingStore, StoreRefusal } from './recording-store.ts'
import { S3Bucket, type S3Place } from './s3-bucket.ts'

const NAME = '2026-11-21/0b0e7a8e-0000-4000-8000-000000000001.cast.gz'
let objects: ObjectStore
let blobs: BlobContainer
let folder: string
let count = 0

beforeAll(async () => {
  objects = await startObjectStore()
  blobs = await startBlobContainer()
})
afterAll(async () => {
  await objects?.close()
  await blobs?.close()
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordings-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const place = (more: Partial<S3Place> = {}): S3Place => ({
  endpoint: objects.endpoint,
  region: 'us-east-1',
  bucket: BUCKET,
  prefix: `test ${++count}`.replace(' ', '-'),
  accessKey: 'S3RVER',
  secretKey: 'S3RVER',
  ...more,
})
const inBucket = (more: Partial<S3Place> = {}, maxCopiesBytes?: number) =>
  createBucketStore({
    bucket: new S3Bucket(place(more)),
    drafts: join(folder, 'replay'),
    copies: join(folder, 'copies'),
    ...(maxCopiesBytes === undefined ? {} : { maxCopiesBytes }),
  })

const inContainer = (more: Partial<AzurePlace> = {}) =>
  createBucketStore({
    bucket: new AzureContainer({ ...blobs.place, ...more }),
    drafts: join(folder, 'replay'),
    copies: join(folder, 'copies'),
  })

async function keep(store: RecordingStore, name: string, content: string | Buffer): Promise<void> {
  await writeFile(await store.draft(name), content)
  await store.keep(name)
}

async function namesIn(names: AsyncIterable<string | { name: string }>): Promise<string[]> {
  const all: string[] = []
  for await (const one of names) all.push(typeof one === 'string' ? one : one.name)
  return all
}

describe.each([
  ['in a folder', () => createLocalStore(join(folder, 'replay'))],
  ['in a bucket', () => inBucket()],
  ['in a bucket, without a folder of its own', () => inBucket({ prefix: '' })],
  ['in a container of Azure', () => inContainer()],
])('%s', (_, open) => {
  let store: RecordingStore
  beforeEach(() => {
    store = open()
  })
  afterEach(async () => {
    for (const name of await namesIn(store.list(''))) await store.remove(name)
  })

  test('a kept file is found and read, whole or in part, by streams and as a file', async () => {
    await keep(store, '2026-11-20/another.cast.gz', 'x')
    await keep(store, NAME, '0123456789')
    // It asks for the first of them, of which there are more.
    await store.check()
    expect(await store.find(NAME)).toMatchObject({ name: NAME, bytes: 10 })
    expect(await text(store.open(NAME))).toBe('0123456789')
    expect(await text(store.open(NAME, { from: 3, bytes: 4 }))).toBe('3456')
    expect(await text(store.open(NAME, { from: 8, bytes: 100 }))).toBe('89')
    expect(await text(store.open(NAME, { from: 10, bytes: 1 }))).toBe('')
    expect(await text(store.open(NAME, { from: 0, bytes: 0 }))).toBe('')
    expect(await store.withLocalFile(NAME, (path) => readFile(path, 'utf8'))).toBe('0123456789')
  })

  test('a file that is kept again has another version, which readers get', async () => {
    await keep(store, NAME, 'one')
    const before = await store.find(NAME)
    expect(await store.withLocalFile(NAME, (path) => readFile(path, 'utf8'))).toBe('one')
    await keep(store, NAME, 'another')
    expect((await store.find(NAME))?.version).not.toBe(before?.version)
    expect(await store.withLocalFile(NAME, (path) => readFile(path, 'utf8'))).toBe('another')
  })

  test('a missing file is not found, cannot be read, and can be removed', async () => {
    expect(await store.find(NAME)).toBeUndefined()
    expect(await store.find('2026-11-21')).toBeUndefined()
    await keep(store, `${NAME}.more`, 'x')
    expect(await store.find(NAME)).toBeUndefined()
    await expect(text(store.open(NAME))).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(store.withLocalFile(NAME, (path) => readFile(path))).rejects.toMatchObject({ code: 'ENOENT' })
    await store.remove(NAME)
    await store.keep(NAME)
    expect(await store.find(NAME)).toBeUndefined()
  })

  test('a few bytes are put in place, over what was there, and listed by the beginning of their names', async () => {
    await store.put('manifests/b.json', Buffer.from('1'))
    await store.put('manifests/b.json', Buffer.from('22'))
    await store.put('manifests/a.json', Buffer.from('3'))
    await store.put('segments/a/0', Buffer.from('4'))
    expect(await text(store.open('manifests/b.json'))).toBe('22')
    expect(await namesIn(store.list('manifests/'))).toEqual(['manifests/a.json', 'manifests/b.json'])
    for await (const { bytes, changed } of store.list('manifests/b')) {
      expect(bytes).toBe(2)
      expect(Math.abs(changed.getTime() - Date.now())).toBeLessThan(60_000)
    }
    await store.remove('manifests/b.json')
    expect(await namesIn(store.list(''))).toEqual(['manifests/a.json', 'segments/a/0'])
  })

  test('unchanged files of earlier days are reported as old, whatever else is there', async () => {
    for (const name of ['2026-11-20/a.cast.gz', '2026-11-20/b.cast.gz', '2100-01-01/young.cast.gz', 'segments/a/0'])
      await store.put(name, Buffer.from('x'))
    expect(await namesIn(store.olderThan(new Date(Date.now() + 60_000)))).toEqual([
      '2026-11-20/a.cast.gz',
      '2026-11-20/b.cast.gz',
    ])
    // All were changed after that.
    expect(await namesIn(store.olderThan(new Date('2026-11-21T12:00:00Z')))).toEqual([])
  })
})

test('in a folder a day goes with its last file', async () => {
  const store = createLocalStore(join(folder, 'replay'))
  const old = '2026-11-20/old.cast.gz'
  for (const name of [old, '2026-11-20/touched.cast.gz', '2026-11-22/young.cast.gz']) await keep(store, name, name)
  await writeFile(join(folder, 'replay', 'a-file-of-somebody'), '')
  const before = new Date('2026-11-21T12:00:00Z')
  for (const name of [old, '2026-11-22/young.cast.gz'])
    await utimes(join(folder, 'replay', name), before, new Date('2026-11-20T10:00:00Z'))
  await utimes(join(folder, 'replay', '2026-11-20/touched.cast.gz'), before, new Date('2026-11-23T00:00:00Z'))
  expect(await namesIn(store.olderThan(before))).toEqual([old])
  await store.remove(old)
  expect(await readdir(join(folder, 'replay', '2026-11-20'))).toEqual(['touched.cast.gz'])
  await store.remove('2026-11-20/touched.cast.gz')
  expect((await readdir(join(folder, 'replay'))).toSorted()).toEqual(['2026-11-22', 'a-file-of-somebody'])
})

test.each([
  ['a bucket', () => inBucket()],
  ['a container', () => inContainer()],
])('a large recording goes into %s in pieces, and its draft leaves the disk', async (_, open) => {
  const store = open()
  const large = Buffer.alloc(20 * 1024 * 1024)
  for (let at = 0; at < large.length; at += 4) large.writeUInt32LE(at, at)
  await keep(store, NAME, large)
  expect(await store.find(NAME)).toMatchObject({ bytes: large.length })
  expect((await buffer(store.open(NAME))).equals(large)).toBe(true)
  expect(await readdir(join(folder, 'replay/2026-11-21'))).toEqual([])
})

test.each([
  ['a bucket', () => new S3Bucket(place())],
  ['a container', () => new AzureContainer(blobs.place)],
])('a list of %s that takes several answers is one list', async (_, open) => {
  const bucket = open()
  const names = ['a', 'b', 'c', 'd', 'e'].map((one) => `2026-11-19/${one}.cast.gz`)
  for (const name of names) await bucket.put(name, Buffer.from(name))
  expect(await namesIn(bucket.list('2026-11-19/', 2))).toEqual(names)
})

test('copies on the disk are shared while they are in use, and of the others only so many bytes stay', async () => {
  const store = inBucket({}, 250)
  const names = ['a', 'b', 'c', 'd'].map((one) => `2026-11-21/${one}.cast.gz`)
  for (const name of names) await store.put(name, Buffer.alloc(100, name))
  const paths = await Promise.all(
    [...names, ...names].map((name) =>
      store.withLocalFile(name, async (path) => `${path} ${await readFile(path, 'utf8')}`),
    ),
  )
  expect(new Set(paths).size).toBe(4)
  for (const [n, name] of names.entries()) expect(paths[n]).toContain(Buffer.alloc(100, name).toString())
  expect(await readdir(join(folder, 'copies'))).toHaveLength(2)
  // A file in use stays, whatever its size.
  await store.withLocalFile(names[0] ?? '', async (path) => {
    for (const name of names.slice(1)) await store.withLocalFile(name, (other) => readFile(other))
    expect(await readFile(path, 'utf8')).toContain('2026')
  })
})

test('a place or a key that is wrong is told apart from a network that is away, and never says the key', async () => {
  const wrong = async (store: RecordingStore) => {
    const error: unknown = await store.check().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(String(error)).not.toContain('not-the-secret')
    return error instanceof StoreRefusal ? error.fault : 'away'
  }
  const key = Buffer.from('not-the-secret').toString('base64')
  expect(await wrong(inBucket({ bucket: 'another' }))).toBe('no_bucket')
  expect(await wrong(inBucket({ secretKey: 'not-the-secret' }))).toBe('denied')
  expect(await wrong(inBucket({ accessKey: 'nobody' }))).toBe('denied')
  expect(await wrong(inBucket({ endpoint: 'http://127.0.0.1:1' }))).toBe('away')
  expect(await wrong(inContainer({ container: 'another' }))).toBe('no_bucket')
  expect(await wrong(inContainer({ key }))).toBe('denied')
  expect(await wrong(inContainer({ endpoint: 'http://127.0.0.1:1' }))).toBe('away')
})

test('a start with a clock that is off is none that is refused: recordings wait until somebody sets it', async () => {
  const { bucket, prefix, endpoint, region, accessKey, secretKey } = place()
  const config = {
    ...{ recordings: { bucket, prefix }, recordingsEndpoint: endpoint, recordingsRegion: region },
    ...{ recordingsAccessKey: accessKey, recordingsSecretKey: secretKey, dataDirectory: folder },
  }
  const errors: string[] = []
  const app = { log: { error: (_: unknown, text: string) => errors.push(text) } }
  objects.isClockOff = true
  try {
    await checkRecordingStore({ app, config } as unknown as Parameters<typeof checkRecordingStore>[0])
  } finally {
    objects.isClockOff = false
  }
  expect(errors).toEqual([expect.stringContaining('the store of recordings cannot be used')])
})

test.each([
  [{ bucket: 'another' }, / has no bucket another$/],
  [{ secretKey: 'not-the-secret' }, /SALLYPORT_RECORDINGS_SECRET_KEY may not list, read, write/],
])('a start with wrong settings is refused in words that name the setting (%o)', async (more, words) => {
  const { bucket, prefix, endpoint, region, accessKey, secretKey } = place(more)
  const config = {
    recordings: { bucket, prefix },
    recordingsEndpoint: endpoint,
    recordingsRegion: region,
    recordingsAccessKey: accessKey,
    recordingsSecretKey: secretKey,
    dataDirectory: folder,
  }
  const start = checkRecordingStore({ config } as Parameters<typeof checkRecordingStore>[0])
  await expect(start).rejects.toThrow(words)
  await expect(start).rejects.toBeInstanceOf(StartRefusal)
})
