import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { awaitedLater } from '../../../../kernel/background.ts'
import { freeName } from '../../../../kernel/files/portable-name.ts'
import { folderOf, isTooLong } from './names.ts'

/** Limit of one folder at a time, in bytes. */
export const MAX_BYTES = 1024 ** 3
/** Files and folders in it. */
export const MAX_ENTRIES = 1000

export type FolderFault = 'missing' | 'exists' | 'full' | 'not_empty' | 'is_folder' | 'too_long'

/** A refusal of the folder, for its two sides to put into words. */
export class FolderRefusal extends Error {
  readonly fault: FolderFault

  constructor(fault: FolderFault) {
    super(fault)
    this.fault = fault
  }
}

/** A file or a folder in it. */
export interface SharedEntry {
  readonly id: number
  /** From the folder on, with slashes; empty for the folder itself. */
  path: string
  readonly isFolder: boolean
  size: number
  /** Milliseconds since 1970. */
  modified: number
  /** Its person has put it there, not the machine. */
  isFromPerson: boolean
  /** How many times the machine has it open to write. */
  writers: number
  state: 'coming' | 'there' | 'gone'
}

/**
 * A folder of one session, through which its person and the machine exchange files. Names are in
 * memory alone: on the disk of this node the contents are numbered files, in a folder of the
 * session that is removed with it. So no name leads anywhere.
 */
export class SharedFolder {
  readonly root: SharedEntry = { ...entry(0, '', true), state: 'there' }
  /** Called when what lies there is not the same any more. */
  onChange = () => {}
  readonly #place: string
  /** By path, whatever the case of its letters. */
  readonly #entries = new Map<string, SharedEntry>()
  #made: Promise<unknown> | undefined
  #nextId = 1
  /** Bytes of everything here, and on its way here. */
  #bytes = 0
  #coming = 0
  #isClosed = false

  constructor(place: string) {
    this.#place = place
  }

  get bytesLeft(): number {
    return MAX_BYTES - this.#bytes
  }

  get entries(): readonly SharedEntry[] {
    return [...this.#entries.values()]
  }

  /** The entry of this path; the folder itself for ''. */
  find(path: string): SharedEntry | undefined {
    return path ? this.#entries.get(keyOf(path)) : this.root
  }

  byId(id: number): SharedEntry | undefined {
    return this.entries.find((one) => one.id === id)
  }

  /** Entries of one of its folders. */
  inside(folder: string): SharedEntry[] {
    return this.entries.filter(({ path }) => keyOf(folderOf(path)) === keyOf(folder))
  }

  /** Throws FolderRefusal. */
  async make(path: string, isFolder: boolean): Promise<SharedEntry> {
    const made = await this.#prepare(path, isFolder)
    if (this.find(path)) {
      await this.#forget(made)
      throw new FolderRefusal('exists')
    }
    this.#add(made)
    return made
  }

  /**
   * A file that its person gives, under its name or the next that is free. Nobody sees it before it
   * is whole, and nothing stays of one that does not become so. Throws FolderRefusal, and what the content throws.
   */
  async receive(name: string, content: AsyncIterable<Buffer>): Promise<SharedEntry> {
    const coming = await this.#prepare(name, false)
    coming.isFromPerson = true
    try {
      for await (const bytes of content) await this.write(coming, coming.size, bytes)
      if (this.#isClosed) throw new FolderRefusal('missing')
    } catch (error) {
      await this.#forget(coming)
      throw error
    }
    coming.path = freeName(name, (free) => this.find(free) !== undefined)
    this.#add(coming)
    return coming
  }

  /** Fewer bytes at its end. */
  async read(file: SharedEntry, offset: number, length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, file.size - offset)))
    if (!bytes.length) return bytes
    let done = 0
    await this.#opened(file, 'r', async (handle) => {
      while (done < bytes.length) {
        const { bytesRead } = await handle.read(bytes, done, bytes.length - done, offset + done)
        if (!bytesRead) break
        done += bytesRead
      }
    })
    return bytes.subarray(0, done)
  }

  /** Throws FolderRefusal when that is too much. */
  async write(file: SharedEntry, offset: number, bytes: Buffer): Promise<void> {
    await this.#sized(file, Math.max(file.size, offset + bytes.length), async (handle) => {
      for (let done = 0; done < bytes.length; )
        done += (await handle.write(bytes, done, bytes.length - done, offset + done)).bytesWritten
    })
  }

  /** Cuts it, or makes it longer by zeros. Throws FolderRefusal when that is too much. */
  async resize(file: SharedEntry, size: number): Promise<void> {
    await this.#sized(file, size, (handle) => handle.truncate(size))
  }

  /** `replace`: a file of that name goes. Throws FolderRefusal. */
  async rename(one: SharedEntry, path: string, replace: boolean): Promise<void> {
    const there = this.find(path)
    const isInside = one.isFolder && `${keyOf(path)}/`.startsWith(`${keyOf(one.path)}/`)
    if (one.state !== 'there' || this.find(folderOf(path))?.isFolder !== true) throw new FolderRefusal('missing')
    if ((there && there !== one && (!replace || there.isFolder || one.isFolder)) || (isInside && there !== one))
      throw new FolderRefusal('exists')
    const before = `${keyOf(one.path)}/`
    const moved = this.entries.filter((other) => other === one || `${keyOf(other.path)}/`.startsWith(before))
    const from = one.path.length
    const moves = (other: SharedEntry) => path + other.path.slice(from)
    if (moved.some((other) => isTooLong(moves(other)))) throw new FolderRefusal('too_long')
    // Its name is free at once, its bytes a little later.
    const removed = there && there !== one ? this.remove(there) : undefined
    for (const { path: old } of moved) this.#entries.delete(keyOf(old))
    for (const other of moved) {
      other.path = moves(other)
      this.#entries.set(keyOf(other.path), other)
    }
    this.onChange()
    await removed
  }

  /** Throws FolderRefusal for a folder that holds something. */
  async remove(one: SharedEntry): Promise<void> {
    if (one === this.root || (one.isFolder && this.inside(one.path).length)) throw new FolderRefusal('not_empty')
    if (one.state !== 'there') return
    this.#entries.delete(keyOf(one.path))
    await this.#forget(one)
    this.onChange()
  }

  /** Nothing of it stays. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#made?.catch(() => {})
    await rm(this.#place, { recursive: true, force: true })
  }

  /** Path of its content. */
  contentPath(file: SharedEntry): string {
    if (file.isFolder) throw new FolderRefusal('is_folder')
    return join(this.#place, String(file.id))
  }

  async #prepare(path: string, isFolder: boolean): Promise<SharedEntry> {
    if (this.#isClosed || this.find(folderOf(path))?.isFolder !== true) throw new FolderRefusal('missing')
    if (this.#entries.size + this.#coming >= MAX_ENTRIES) throw new FolderRefusal('full')
    const made = entry(this.#nextId++, path, isFolder)
    this.#coming++
    if (isFolder) return made
    try {
      await this.#makePlace()
      await (await open(this.contentPath(made), 'wx', 0o600)).close()
    } catch (error) {
      this.#coming--
      throw error
    }
    return made
  }

  /** Once; a disk that had no room for it may have some later. */
  async #makePlace(): Promise<void> {
    this.#made ??= awaitedLater(mkdir(this.#place, { recursive: true, mode: 0o700 }))
    const making = this.#made
    try {
      await making
    } catch (error) {
      if (this.#made === making) this.#made = undefined
      throw error
    }
  }

  #add(one: SharedEntry): void {
    this.#coming--
    one.state = 'there'
    this.#entries.set(keyOf(one.path), one)
    this.onChange()
  }

  async #forget(one: SharedEntry): Promise<void> {
    if (one.state === 'coming') this.#coming--
    one.state = 'gone'
    this.#bytes -= one.size
    one.size = 0
    if (!one.isFolder) await rm(this.contentPath(one), { force: true })
  }

  async #opened<T>(file: SharedEntry, flags: string, work: (handle: FileHandle) => Promise<T>): Promise<T> {
    const handle = await open(this.contentPath(file), flags)
    try {
      return await work(handle)
    } finally {
      await handle.close()
    }
  }

  /** Its announced size counts before it is written: several files may come at once. */
  async #sized(file: SharedEntry, size: number, work: (handle: FileHandle) => Promise<unknown>): Promise<void> {
    const more = Math.max(0, size - file.size)
    if (more > this.bytesLeft) throw new FolderRefusal('full')
    this.#bytes += more
    let isDone = false
    try {
      await this.#opened(file, 'r+', work)
      isDone = true
    } finally {
      // Meanwhile it may have been removed, and counts for nothing.
      if (!isDone || file.state === 'gone') this.#bytes -= more
    }
    if (file.state === 'gone') return
    this.#bytes -= Math.max(0, file.size - size)
    file.size = size
    file.modified = Date.now()
    if (file.state === 'there') this.onChange()
  }
}

const keyOf = (path: string): string => path.toLowerCase()

const entry = (id: number, path: string, isFolder: boolean): SharedEntry => ({
  ...{ id, path, isFolder, size: 0, modified: Date.now() },
  ...{ isFromPerson: false, writers: 0, state: 'coming' },
})
