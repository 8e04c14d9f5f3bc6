import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { awaitedLater } from '../../../../kernel/background.ts'
import { Slots } from '../../../../kernel/slots.ts'
import type { StoredFile } from './recording-store.ts'

const DOWNLOADS_AT_ONCE = 4

interface Copy {
  path: string
  bytes: number
  ready: Promise<void>
  users: number
}

/**
 * Copies of stored files on this node's disk, for readers that need a path. Copies in use always
 * stay; of the others, those used most recently, up to a number of bytes. Copies of an earlier
 * process are deleted.
 */
export class LocalCopies {
  readonly #folder: string
  readonly #maxBytes: number
  readonly #open: (name: string) => Readable
  /** Least recently used first. */
  readonly #copies = new Map<string, Copy>()
  readonly #downloads = new Slots(DOWNLOADS_AT_ONCE)
  #emptied: Promise<void> | undefined

  constructor(folder: string, maxBytes: number, open: (name: string) => Readable) {
    this.#folder = folder
    this.#maxBytes = maxBytes
    this.#open = open
  }

  /** Throws what reading the file or writing the copy throws. */
  async use<T>(file: StoredFile, work: (path: string) => Promise<T>): Promise<T> {
    const copy = this.#copyOf(file)
    copy.users++
    try {
      await copy.ready
      return await work(copy.path)
    } finally {
      copy.users--
      await this.#removeOld()
    }
  }

  #copyOf({ name, version, bytes }: StoredFile): Copy {
    const key = createHash('sha256').update(`${name}\n${version}`).digest('hex')
    const copy = this.#copies.get(key) ?? this.#download(name, bytes)
    this.#copies.delete(key)
    this.#copies.set(key, copy)
    copy.ready.catch(() => this.#copies.delete(key))
    return copy
  }

  #download(name: string, bytes: number): Copy {
    const path = join(this.#folder, crypto.randomUUID())
    return { path, bytes, ready: awaitedLater(this.#downloads.use(() => this.#write(name, path))), users: 0 }
  }

  async #empty(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
  }

  async #write(name: string, path: string): Promise<void> {
    this.#emptied ??= awaitedLater(this.#empty())
    await this.#emptied
    try {
      await pipeline(this.#open(name), createWriteStream(path, { mode: 0o600 }))
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
  }

  async #removeOld(): Promise<void> {
    const old: string[] = []
    let bytes = [...this.#copies.values()].reduce((sum, copy) => sum + copy.bytes, 0)
    for (const [key, copy] of this.#copies) {
      if (bytes <= this.#maxBytes) break
      if (copy.users > 0) continue
      this.#copies.delete(key)
      bytes -= copy.bytes
      old.push(copy.path)
    }
    for (const path of old) await rm(path, { force: true })
  }
}
