import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { LocalCopies } from './local-copies.ts'
import { createLocalStore } from './local-store.ts'
import { dayIn, noRecording, type RecordingStore, type StoredFile } from './recording-store.ts'

const MAX_COPIES_BYTES = 2 * 1024 ** 3

/** Files of a store on the network, by name; `RecordingStore` describes the methods. */
export interface Bucket {
  check(): Promise<void>
  find(name: string): Promise<StoredFile | undefined>
  list(prefix: string): AsyncIterable<StoredFile>
  open(name: string, range?: { from: number; bytes: number }): Readable
  put(name: string, content: Uint8Array): Promise<void>
  /** Stores the file at `path`, of `size` bytes. */
  upload(name: string, path: string, size: number): Promise<void>
  remove(name: string): Promise<void>
}

export interface BucketStoreOptions {
  bucket: Bucket
  /** Where this node makes recordings before they are kept. */
  drafts: string
  /** Where this node puts copies of what it reads. */
  copies: string
  maxCopiesBytes?: number
}

/**
 * Recordings in a bucket, under the names that they have in a local folder: what is copied from one
 * to the other is found there.
 */
export function createBucketStore({
  bucket,
  drafts,
  copies,
  maxCopiesBytes = MAX_COPIES_BYTES,
}: BucketStoreOptions): RecordingStore {
  const made = createLocalStore(drafts)
  const localCopies = new LocalCopies(copies, maxCopiesBytes, (name) => bucket.open(name))
  return {
    ofThisNode: false,
    check: () => bucket.check(),
    find: (name) => bucket.find(name),
    list: (prefix) => bucket.list(prefix),
    open: (name, range) => bucket.open(name, range),
    put: (name, content) => bucket.put(name, content),
    draft: (name) => made.draft(name),
    async withLocalFile(name, work) {
      const file = await bucket.find(name)
      if (!file) throw noRecording(name)
      return localCopies.use(file, work)
    },
    async keep(name) {
      const path = join(drafts, name)
      const found = await stat(path).catch(() => undefined)
      if (!found) return
      await bucket.upload(name, path, found.size)
      await rm(path, { force: true })
    },
    async take(name, path) {
      await bucket.upload(name, path, (await stat(path)).size)
    },
    async remove(name) {
      await made.remove(name)
      await bucket.remove(name)
    },
    async *olderThan(date) {
      for await (const { name, changed } of bucket.list('')) {
        // Days sort before everything else, one after the other.
        const day = dayIn(name)
        if (day === undefined || day >= date.getTime()) return
        if (changed < date) yield name
      }
    },
  }
}
