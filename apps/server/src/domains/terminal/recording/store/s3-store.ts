import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { S3mini, S3ServiceError } from 's3mini'
import { Slots } from '../../../../kernel/slots.ts'
import { LocalCopies } from './local-copies.ts'
import { createLocalStore } from './local-store.ts'
import { dayIn, type RecordingStore, type StoredFile, StoreRefusal } from './recording-store.ts'
import { createS3Transport } from './s3-transport.ts'
import { uploadFile } from './s3-upload.ts'

/** Each holds one piece of 8 MB. */
const UPLOADS_AT_ONCE = 4
const PUTS_AT_ONCE = 16
const LIST_PAGE = 1000
const MAX_COPIES_BYTES = 2 * 1024 ** 3

export interface S3Place {
  /** Scheme, host and port; the host begins with the bucket where the store wants that. */
  endpoint: string
  region: string
  bucket: string
  /** Before every name, without slashes around it; may be empty. */
  prefix: string
  accessKey: string
  secretKey: string
}

export interface S3StoreOptions {
  place: S3Place
  /** Where this node makes recordings before they are kept. */
  drafts: string
  /** Where this node puts copies of what it reads. */
  copies: string
  maxCopiesBytes?: number
}

/**
 * Recordings in a bucket of an S3-compatible store, under the names that they have in a local
 * folder: what is copied from one to the other is found there.
 */
export function createS3Store({
  place,
  drafts,
  copies,
  maxCopiesBytes = MAX_COPIES_BYTES,
}: S3StoreOptions): RecordingStore {
  const client = new S3mini({
    accessKeyId: place.accessKey,
    secretAccessKey: place.secretKey,
    endpoint: addressOf(place),
    region: place.region,
    fetch: createS3Transport(),
  })
  const prefix = place.prefix ? `${place.prefix}/` : ''
  const [uploads, puts] = [new Slots(UPLOADS_AT_ONCE), new Slots(PUTS_AT_ONCE)]
  const made = createLocalStore(drafts)

  async function* list(begin: string, page = LIST_PAGE): AsyncGenerator<StoredFile> {
    let token: string | undefined
    do {
      const answer = await client.listObjectsPaged('/', prefix + begin, page, token)
      if (!answer) throw new Error('the bucket is not there any more')
      for (const { Key, Size, ETag, LastModified } of answer.objects ?? [])
        yield { name: Key.slice(prefix.length), bytes: Size, version: ETag, changed: LastModified }
      token = answer.nextContinuationToken
    } while (token)
  }

  const find = async (name: string): Promise<StoredFile | undefined> => {
    // A name sorts before all that it begins.
    for await (const file of list(name, 1)) return file.name === name ? file : undefined
    return undefined
  }

  async function* read(name: string, range: { from: number; bytes: number } | undefined): AsyncGenerator<Uint8Array> {
    const end = range && range.from + range.bytes
    const response = await client.getObjectRaw(prefix + name, !range, range?.from, end).catch((error: unknown) => {
      const status = error instanceof S3ServiceError ? error.status : undefined
      // Nothing lies there.
      if (status === 416) return undefined
      if (status === 404) throw Object.assign(new Error(`ENOENT: no recording ${name}`), { code: 'ENOENT' })
      throw error
    })
    if (response?.body) yield* response.body as unknown as AsyncIterable<Uint8Array>
  }

  const openStored: RecordingStore['open'] = (name, range) =>
    Readable.from(range?.bytes === 0 ? [] : read(name, range), { objectMode: false })
  const localCopies = new LocalCopies(copies, maxCopiesBytes, (name) => openStored(name))
  const put: RecordingStore['put'] = async (name, content) => {
    await puts.use(() => client.putObject(prefix + name, Buffer.from(content)))
  }
  const remove: RecordingStore['remove'] = async (name) => {
    await puts.use(() => client.deleteObject(prefix + name))
  }

  return {
    ofThisNode: false,
    find,
    list,
    open: openStored,
    put,
    draft: (name) => made.draft(name),
    async check() {
      const probe = `probe-${crypto.randomUUID()}`
      try {
        if ((await client.listObjectsPaged('/', prefix, 1)) === null)
          throw new StoreRefusal(`SALLYPORT_RECORDINGS: ${place.endpoint} has no bucket ${place.bucket}`)
        await put(probe, Buffer.from('Sallyport writes here'))
        await remove(probe)
      } catch (error) {
        throw explained(error, place)
      }
    },
    async withLocalFile(name, work) {
      const file = await find(name)
      if (!file) throw Object.assign(new Error(`ENOENT: no recording ${name}`), { code: 'ENOENT' })
      return localCopies.use(file, work)
    },
    async keep(name) {
      const path = join(drafts, name)
      const found = await stat(path).catch(() => undefined)
      if (!found) return
      await uploads.use(async () => {
        const file = await open(path)
        try {
          await uploadFile(client, prefix + name, file, found.size)
        } finally {
          await file.close()
        }
      })
      await rm(path, { force: true })
    },
    async remove(name) {
      await made.remove(name)
      await remove(name)
    },
    async *olderThan(date) {
      for await (const { name, changed } of list('')) {
        // Days sort before everything else, one after the other.
        const day = dayIn(name)
        if (day === undefined || day >= date.getTime()) return
        if (changed < date) yield name
      }
    },
  }
}

/** With the bucket in the host, where the endpoint has it there, else in the path. */
function addressOf({ endpoint, bucket }: S3Place): string {
  return new URL(endpoint).hostname.startsWith(`${bucket}.`) ? endpoint : `${endpoint}/${bucket}`
}

/** What a store says of settings that are wrong, in words; anything else as it is. */
function explained(error: unknown, { endpoint, bucket, region }: S3Place): unknown {
  if (!(error instanceof S3ServiceError)) return error
  const { status, serviceCode } = error
  const answer = `${endpoint} answers ${status} ${serviceCode ?? ''}`.trim()
  if (status === 404) return new StoreRefusal(`SALLYPORT_RECORDINGS: ${endpoint} has no bucket ${bucket}`)
  if (status === 401 || status === 403)
    return new StoreRefusal(
      `SALLYPORT_RECORDINGS: SALLYPORT_RECORDINGS_ACCESS_KEY and SALLYPORT_RECORDINGS_SECRET_KEY may not list, write and delete in the bucket ${bucket} (${answer})`,
    )
  if (status < 500 && status !== 429)
    return new StoreRefusal(
      `SALLYPORT_RECORDINGS: the bucket ${bucket} cannot be used with SALLYPORT_RECORDINGS_REGION ${region} (${answer})`,
    )
  return error
}
