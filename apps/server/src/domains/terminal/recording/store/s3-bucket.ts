import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { S3mini, S3ServiceError } from 's3mini'
import { Slots } from '../../../../kernel/slots.ts'
import type { Bucket } from './bucket-store.ts'
import { probe } from './probe.ts'
import { noRecording, type StoredFile, StoreRefusal } from './recording-store.ts'
import { uploadFile } from './s3-upload.ts'
import { createStoreTransport } from './store-transport.ts'

/** Each holds one piece of 8 MB. */
const UPLOADS_AT_ONCE = 4
const PUTS_AT_ONCE = 16
const LIST_PAGE = 1000

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

/** Files in a bucket, by names without the prefix of the place. */
export class S3Bucket implements Bucket {
  readonly #client: S3mini
  readonly #prefix: string
  readonly #uploads = new Slots(UPLOADS_AT_ONCE)
  readonly #puts = new Slots(PUTS_AT_ONCE)

  constructor(place: S3Place) {
    this.#prefix = place.prefix ? `${place.prefix}/` : ''
    this.#client = new S3mini({
      accessKeyId: place.accessKey,
      secretAccessKey: place.secretKey,
      endpoint: addressOf(place),
      region: place.region,
      fetch: createStoreTransport(),
    })
  }

  /** Files whose names begin so, in the order of their names; asked for by pages of that size. */
  async *list(begin: string, page = LIST_PAGE): AsyncGenerator<StoredFile> {
    let token: string | undefined
    do {
      const answer = await this.#client.listObjectsPaged('/', this.#prefix + begin, page, token)
      if (!answer) throw new Error('the bucket is not there any more')
      for (const { Key, Size, ETag, LastModified } of answer.objects ?? [])
        yield { name: Key.slice(this.#prefix.length), bytes: Size, version: ETag, changed: LastModified }
      token = answer.nextContinuationToken
    } while (token)
  }

  async find(name: string): Promise<StoredFile | undefined> {
    // A name sorts before all that it begins.
    for await (const file of this.list(name, 1)) return file.name === name ? file : undefined
    return undefined
  }

  /** See `RecordingStore.open`. */
  open(name: string, range?: { from: number; bytes: number }): Readable {
    return Readable.from(range?.bytes === 0 ? [] : this.#read(name, range), { objectMode: false })
  }

  async *#read(name: string, range: { from: number; bytes: number } | undefined): AsyncGenerator<Uint8Array> {
    const [key, end] = [this.#prefix + name, range && range.from + range.bytes]
    const response = await this.#client.getObjectRaw(key, !range, range?.from, end).catch((error: unknown) => {
      const status = error instanceof S3ServiceError ? error.status : undefined
      // Nothing lies there.
      if (status === 416) return undefined
      if (status === 404) throw noRecording(name)
      throw error
    })
    if (response?.body) yield* response.body as unknown as AsyncIterable<Uint8Array>
  }

  async put(name: string, content: Uint8Array): Promise<void> {
    await this.#puts.use(() => this.#client.putObject(this.#prefix + name, viewOf(content)))
  }

  async remove(name: string): Promise<void> {
    await this.#puts.use(() => this.#client.deleteObject(this.#prefix + name))
  }

  /** Stores the file at `path`, of `size` bytes. */
  async upload(name: string, path: string, size: number): Promise<void> {
    await this.#uploads.use(async () => {
      const file = await open(path)
      try {
        await uploadFile(this.#client, this.#prefix + name, file, size)
      } finally {
        await file.close()
      }
    })
  }

  /** See `RecordingStore.check`. */
  async check(): Promise<void> {
    try {
      if ((await this.#client.listObjectsPaged('/', this.#prefix, 1)) === null)
        throw new StoreRefusal('no_bucket', '404')
      await probe(this)
    } catch (error) {
      throw explained(error)
    }
  }
}

/** The same bytes, not a copy of them. */
const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)

/** With the bucket in the host, where the endpoint has it there, else in the path. */
function addressOf({ endpoint, bucket }: S3Place): string {
  return new URL(endpoint).hostname.startsWith(`${bucket}.`) ? endpoint : `${endpoint}/${bucket}`
}

/** The meaning of a store's answer; anything else as it is. */
function explained(error: unknown): unknown {
  if (!(error instanceof S3ServiceError)) return error
  const { status, serviceCode } = error
  const answer = `${status} ${serviceCode ?? ''}`.trim()
  if (status === 404) return new StoreRefusal('no_bucket', answer)
  // More than a quarter of an hour, with S3: it takes the signature for an old one.
  if (/TimeTooSkewed|RequestExpired/i.test(serviceCode ?? '')) return new StoreRefusal('clock', answer)
  if (status === 401 || status === 403) return new StoreRefusal('denied', answer)
  return new StoreRefusal(status < 500 && status !== 429 ? 'unusable' : 'failing', answer)
}
