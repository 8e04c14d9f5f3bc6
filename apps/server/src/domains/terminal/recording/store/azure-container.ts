import { randomUUID } from 'node:crypto'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { signSharedKey } from '../../../../kernel/signatures/azure-shared-key.ts'
import { Slots } from '../../../../kernel/slots.ts'
import { plainXml } from '../../../../kernel/xml/plain-xml.ts'
import type { Bucket } from './bucket-store.ts'
import { probe } from './probe.ts'
import { noRecording, type StoredFile, StoreRefusal } from './recording-store.ts'
import { createStoreTransport } from './store-transport.ts'

/** Version of the protocol, the first with blocks of 4,000 MB and names in lists as they are. */
const VERSION = '2021-12-02'
/** A file goes in blocks of this size; there may be 50,000. */
const BLOCK_BYTES = 8 * 1024 * 1024
const UPLOADS_AT_ONCE = 4
const CALLS_AT_ONCE = 16
const LIST_PAGE = 1000

export interface AzurePlace {
  /** `https://<account>.blob.<suffix>`; a path before the container is kept. */
  endpoint: string
  account: string
  /** In base64, as Azure shows it. */
  key: string
  container: string
}

interface BlobCall {
  method: 'GET' | 'PUT' | 'DELETE' | 'HEAD'
  /** Empty for the container itself. */
  name?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Uint8Array
}

/**
 * Block blobs of a container of Azure, each call signed with the account's key (learn.microsoft.com,
 * the REST pages of the calls).
 */
export class AzureContainer implements Bucket {
  readonly #place: AzurePlace
  readonly #fetch = createStoreTransport()
  readonly #uploads = new Slots(UPLOADS_AT_ONCE)
  readonly #calls = new Slots(CALLS_AT_ONCE)

  constructor(place: AzurePlace) {
    this.#place = place
  }

  async *list(begin: string, size = LIST_PAGE): AsyncGenerator<StoredFile> {
    let marker = ''
    do {
      const query = { restype: 'container', comp: 'list', prefix: begin, maxresults: String(size), marker }
      const text = await (await this.#send({ method: 'GET', query })).text()
      const page = listOf(text)
      yield* page.files
      marker = page.next
    } while (marker)
  }

  async find(name: string): Promise<StoredFile | undefined> {
    const response = await this.#call({ method: 'HEAD', name })
    if (response.status === 404) return undefined
    const { headers } = await accepted(response)
    return {
      name,
      bytes: Number(headers.get('content-length')),
      version: (headers.get('etag') ?? '').replaceAll('"', ''),
      changed: new Date(headers.get('last-modified') ?? 0),
    }
  }

  open(name: string, range?: { from: number; bytes: number }): Readable {
    return Readable.from(range?.bytes === 0 ? [] : this.#read(name, range), { objectMode: false })
  }

  async *#read(name: string, range: { from: number; bytes: number } | undefined): AsyncGenerator<Uint8Array> {
    const headers: Record<string, string> = range
      ? { 'x-ms-range': `bytes=${range.from}-${range.from + range.bytes - 1}` }
      : {}
    const response = await this.#call({ method: 'GET', name, headers })
    // Nothing lies there.
    if (response.status === 416) return void (await response.body?.cancel())
    if (response.status === 404) {
      await response.body?.cancel()
      throw noRecording(name)
    }
    const { body } = await accepted(response)
    if (body) yield* body as unknown as AsyncIterable<Uint8Array>
  }

  async put(name: string, content: Uint8Array): Promise<void> {
    const headers = { 'x-ms-blob-type': 'BlockBlob', 'content-type': 'application/octet-stream' }
    await this.#calls.use(() => this.#send({ method: 'PUT', name, headers, body: content }))
  }

  async upload(name: string, path: string, size: number): Promise<void> {
    await this.#uploads.use(async () => {
      const file = await open(path)
      try {
        const blocks: string[] = []
        const piece = Buffer.alloc(Math.min(BLOCK_BYTES, size))
        for (let at = 0; at < size; ) {
          const { bytesRead } = await file.read(piece, 0, piece.length, at)
          if (!bytesRead) throw new Error(`the recording ${name} became shorter while it was uploaded`)
          // All of one length, and of this upload alone: two at once don't mix their blocks.
          const block = Buffer.from(`${String(blocks.length).padStart(6, '0')} ${randomUUID()}`).toString('base64')
          await this.#send({
            method: 'PUT',
            name,
            query: { comp: 'block', blockid: block },
            body: piece.subarray(0, bytesRead),
          })
          blocks.push(block)
          at += bytesRead
        }
        const list = blocks.map((block) => `<Latest>${block}</Latest>`).join('')
        const body = Buffer.from(`<?xml version="1.0" encoding="utf-8"?><BlockList>${list}</BlockList>`)
        await this.#send({ method: 'PUT', name, query: { comp: 'blocklist' }, body })
      } finally {
        await file.close()
      }
    })
  }

  async remove(name: string): Promise<void> {
    await this.#calls.use(async () => {
      const response = await this.#call({ method: 'DELETE', name })
      if (response.status !== 404) await accepted(response)
    })
  }

  async check(): Promise<void> {
    try {
      await this.#send({ method: 'GET', query: { restype: 'container', comp: 'list', maxresults: '1' } })
      await probe(this)
    } catch (error) {
      throw explained(error)
    }
  }

  async #send(call: BlobCall): Promise<Response> {
    return accepted(await this.#call(call))
  }

  #call({ method, name = '', query = {}, headers = {}, body }: BlobCall): Promise<Response> {
    const { endpoint, container, account, key } = this.#place
    const url = new URL(`${endpoint}/${container}${name && `/${name.split('/').map(encodeURIComponent).join('/')}`}`)
    for (const [field, value] of Object.entries(query)) if (value) url.searchParams.set(field, value)
    const sent = { ...headers, 'x-ms-date': new Date().toUTCString(), 'x-ms-version': VERSION }
    const authorization = signSharedKey({ account, key, method, url, headers: sent, bytes: body?.length ?? 0 })
    return this.#fetch(url.href, {
      method,
      headers: { ...sent, authorization },
      body: (body as RequestInit['body']) ?? null,
    })
  }
}

/** An answer other than 2xx. */
class BlobRefusal extends Error {
  readonly status: number
  constructor(status: number, code: string) {
    super(`${status} ${code}`.trim())
    this.status = status
  }
}

async function accepted(response: Response): Promise<Response> {
  if (response.ok) return response
  await response.body?.cancel()
  throw new BlobRefusal(response.status, response.headers.get('x-ms-error-code') ?? '')
}

/** The meaning of an answer of Azure; anything else as it is. */
function explained(error: unknown): unknown {
  if (!(error instanceof BlobRefusal)) return error
  const { status, message } = error
  if (status === 404) return new StoreRefusal('no_bucket', message)
  if (status === 401 || status === 403) return new StoreRefusal('denied', message)
  return new StoreRefusal(status < 500 && status !== 429 ? 'unusable' : 'failing', message)
}

interface BlobList {
  Blobs?: { Blob?: readonly { Name: string; Properties: Readonly<Record<string, string>> }[] }
  NextMarker?: string
}

/** A page of the list of blobs, and the mark of the next one; empty behind the last. */
function listOf(text: string): { files: StoredFile[]; next: string } {
  const { Blobs, NextMarker = '' } = (plainXml(text, ['Blob']).EnumerationResults ?? {}) as BlobList
  const files = (Blobs?.Blob ?? []).map(({ Name, Properties }) => ({
    name: Name,
    bytes: Number(Properties['Content-Length']),
    version: Properties.Etag ?? '',
    changed: new Date(Properties['Last-Modified'] ?? ''),
  }))
  return { files, next: NextMarker }
}
