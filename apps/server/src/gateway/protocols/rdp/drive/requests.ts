import type { MachineFiles } from '../../../kinds/desktop/files/machine-files.ts'
import { folderOf, nameOf, pathOf } from '../../../kinds/desktop/files/names.ts'
import { type FolderFault, FolderRefusal, type SharedEntry } from '../../../kinds/desktop/files/shared-folder.ts'
import { Cursor, u32 } from '../cursor.ts'
import { ABOUT_FILE, aboutEntry, aboutFile, aboutVolume, meantBy } from './information.ts'
import { LIST, STATUS, WANTS } from './messages.ts'

/** Longest pattern of a list: names are no longer. */
const MAX_PATTERN = 255
/** Files and folders that a machine may have open. */
const MAX_OPEN = 256
/** Longest piece that is read at once. What is longer is refused: fewer bytes would mean the end of the file. */
export const MAX_READ = 4 * 1024 * 1024
/** Ways to open (MS-SMB2 2.2.13): of what is there, and of what is not. */
const HOW = { supersede: 0, open: 1, create: 2, openIf: 3, overwrite: 4, overwriteIf: 5 } as const
const OVERWRITES: readonly number[] = [HOW.supersede, HOW.overwrite, HOW.overwriteIf]
const ONLY_THERE: readonly number[] = [HOW.open, HOW.overwrite]
const OPTION = { folder: 0x1, file: 0x40, deleteOnClose: 0x1000 } as const
/** To write, to append, and everything. */
const TO_WRITE = 0x2 | 0x4 | 0x4000_0000 | 0x1000_0000

const FAULTS: Readonly<Record<FolderFault, number>> = {
  missing: STATUS.noSuchFolder,
  exists: STATUS.exists,
  full: STATUS.full,
  too_long: STATUS.badName,
  not_empty: STATUS.notEmpty,
  is_folder: STATUS.isFolder,
}

/** How a request ends, and what is answered besides. */
interface Answer {
  status: number
  body: Buffer
}

interface Handle {
  entry: SharedEntry
  isWriting: boolean
  isDeleting: boolean
  /** Entries of a list that were not sent yet. */
  list?: Iterator<readonly [SharedEntry, string]>
}

const ok = (...parts: Buffer[]): Answer => ({ status: STATUS.ok, body: Buffer.concat(parts) })
const okWith = (body: Buffer): Answer => ok(u32(body.length), body)

/** The beginning of an answer has the length of the rest, in those that fail as well. */
const NOTHING: Readonly<Record<number, Buffer>> = { [WANTS.create]: Buffer.alloc(5), [WANTS.write]: Buffer.alloc(5) }
const failed = (status: number, wanted: number): Answer => ({ status, body: NOTHING[wanted] ?? u32(0) })

/** Throws what ends a request with that status. */
class Refused extends Error {
  readonly status: number

  constructor(status: number) {
    super(`status ${status.toString(16)}`)
    this.status = status
  }
}

/**
 * Requests of a machine in the folder of its session (MS-RDPEFS 2.2.1.4, 2.2.3.3), one after the
 * other.
 */
export class DriveRequests {
  readonly #files: MachineFiles
  readonly #open = new Map<number, Handle>()
  #nextId = 1
  #isClosed = false

  constructor(files: MachineFiles) {
    this.#files = files
  }

  /** Nothing is open any more; what is still being answered opens nothing either. */
  close(): void {
    this.#isClosed = true
    const open = [...this.#open.values()]
    this.#open.clear()
    for (const { entry, isWriting } of open) if (isWriting) entry.writers--
    if (open.length) this.#files.folder.onChange()
  }

  /** Undefined: it is never answered. Throws ProtocolViolation, and what the disk of this node throws. */
  async answer(wanted: number, detail: number, fileId: number, read: Cursor): Promise<Answer | undefined> {
    try {
      switch (wanted) {
        case WANTS.create:
          return await this.#create(read)
        case WANTS.close:
          return await this.#close(fileId)
        case WANTS.read:
          return await this.#read(this.#handle(fileId), read)
        case WANTS.write:
          return await this.#write(this.#writing(fileId), read)
        case WANTS.queryInformation:
          return known(aboutFile(read.u32(), this.#handle(fileId).entry))
        case WANTS.setInformation:
          return await this.#change(fileId, read)
        case WANTS.queryVolume:
          return known(aboutVolume(read.u32(), this.#files.folder.bytesLeft))
        case WANTS.directory:
          // A request for changes gets no answer, as with other clients.
          return detail === LIST ? this.#list(this.#handle(fileId), read) : undefined
        case WANTS.control:
          return ok(u32(0))
        case WANTS.lock:
          // Nobody else is there.
          return ok(Buffer.alloc(5))
        default:
          return failed(STATUS.notSupported, wanted)
      }
    } catch (error) {
      const status =
        error instanceof Refused ? error.status : error instanceof FolderRefusal ? FAULTS[error.fault] : undefined
      if (status !== undefined) return failed(status, wanted)
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOSPC' || code === 'EDQUOT') return failed(STATUS.full, wanted)
      // Its person has removed it meanwhile.
      if (code === 'ENOENT') return failed(STATUS.noSuchFile, wanted)
      throw error
    }
  }

  #handle(id: number): Handle {
    const handle = this.#open.get(id)
    if (!handle) throw new Refused(STATUS.badHandle)
    return handle
  }

  /**
   * One that was opened to be read alone changes nothing: a reader of the file counts on its
   * length.
   */
  #writing(id: number): Handle {
    const handle = this.#handle(id)
    if (!handle.isWriting) throw new Refused(STATUS.denied)
    return handle
  }

  async #create(read: Cursor): Promise<Answer> {
    const access = read.u32()
    read.skip(8 + 4 + 4)
    const how = read.u32()
    const options = read.u32()
    const path = pathOf(textOf(read.take(read.u32())))
    if (path === undefined) throw new Refused(STATUS.badName)
    if (this.#open.size >= MAX_OPEN) throw new Refused(STATUS.tooManyOpen)
    const there = this.#files.folder.find(path)
    const entry = there ? await this.#openThere(there, how, options) : await this.#make(path, how, options)
    if (this.#isClosed) throw new Refused(STATUS.failed)
    const isWriting = !entry.isFolder && (!there || (access & TO_WRITE) !== 0)
    if (isWriting) entry.writers++
    const id = this.#nextId++
    this.#open.set(id, { entry, isWriting, isDeleting: (options & OPTION.deleteOnClose) !== 0 })
    return ok(u32(id), Buffer.of(how === HOW.openIf ? 1 : how === HOW.overwriteIf ? 3 : 0))
  }

  async #openThere(entry: SharedEntry, how: number, options: number): Promise<SharedEntry> {
    if (how === HOW.create) throw new Refused(STATUS.exists)
    if (entry.isFolder && options & OPTION.file) throw new Refused(STATUS.isFolder)
    if (!entry.isFolder && options & OPTION.folder) throw new Refused(STATUS.notAFolder)
    if (!OVERWRITES.includes(how)) return entry
    if (entry.isFolder) throw new Refused(STATUS.exists)
    await this.#mayPut(entry.path)
    await this.#files.folder.resize(entry, 0)
    entry.isFromPerson = false
    return entry
  }

  async #make(path: string, how: number, options: number): Promise<SharedEntry> {
    const { folder } = this.#files
    if (folder.find(folderOf(path))?.isFolder !== true) throw new Refused(STATUS.noSuchFolder)
    if (ONLY_THERE.includes(how)) throw new Refused(STATUS.noSuchFile)
    await this.#mayPut(path)
    return folder.make(path, (options & OPTION.folder) !== 0)
  }

  async #mayPut(path: string): Promise<void> {
    if (!(await this.#files.mayPut(path))) throw new Refused(STATUS.denied)
  }

  async #close(id: number): Promise<Answer> {
    const handle = this.#handle(id)
    this.#open.delete(id)
    const { entry, isWriting, isDeleting } = handle
    if (isWriting) entry.writers--
    if (isDeleting) await this.#files.folder.remove(entry)
    // Waiters for a file that is complete now hear of it.
    else if (isWriting) this.#files.folder.onChange()
    return ok(u32(0))
  }

  async #read({ entry }: Handle, read: Cursor): Promise<Answer> {
    const length = read.u32()
    const offset = read.u64()
    if (length > MAX_READ) throw new Refused(STATUS.badParameter)
    if (!(await this.#files.mayTake(entry))) throw new Refused(STATUS.denied)
    const bytes = await this.#files.folder.read(entry, offset, length)
    return okWith(bytes)
  }

  async #write({ entry }: Handle, read: Cursor): Promise<Answer> {
    const length = read.u32()
    const offset = read.u64()
    read.skip(20)
    const bytes = read.take(length)
    await this.#mayPut(entry.path)
    await this.#files.folder.write(entry, offset, bytes)
    return ok(u32(length), Buffer.alloc(1))
  }

  async #change(id: number, read: Cursor): Promise<Answer> {
    const handle = this.#handle(id)
    const { entry } = handle
    const how = read.u32()
    const length = read.u32()
    read.skip(24)
    const value = new Cursor(read.take(length))
    switch (how) {
      case ABOUT_FILE.basic:
      case ABOUT_FILE.allocation:
        // Times and attributes are the folder's own.
        break
      case ABOUT_FILE.end: {
        const size = value.u64()
        this.#writing(id)
        await this.#mayPut(entry.path)
        await this.#files.folder.resize(entry, size)
        break
      }
      case ABOUT_FILE.disposition:
        handle.isDeleting = !value.left || value.u8() !== 0
        if (handle.isDeleting && entry.isFolder && this.#files.folder.inside(entry.path).length)
          throw new Refused(STATUS.notEmpty)
        break
      case ABOUT_FILE.rename: {
        const replace = value.u8() !== 0
        value.skip(1)
        const path = pathOf(textOf(value.take(value.u32())))
        if (!path) throw new Refused(STATUS.badName)
        await this.#mayPut(path)
        await this.#files.folder.rename(entry, path, replace)
        break
      }
      default:
        throw new Refused(STATUS.notSupported)
    }
    return ok(u32(length))
  }

  #list(handle: Handle, read: Cursor): Answer {
    const question = read.u32()
    const isInitial = read.u8() !== 0
    const length = read.u32()
    read.skip(23)
    if (isInitial) handle.list = this.#meant(handle.entry, textOf(read.take(length)))
    const next = handle.list?.next()
    if (next && !next.done) return known(aboutEntry(question, ...next.value))
    return { status: isInitial ? STATUS.noSuchFile : STATUS.noMoreFiles, body: Buffer.alloc(5) }
  }

  /**
   * Entries of a list, as its machine asks for it: by the last part of a path, which may be a
   * pattern.
   */
  #meant(folder: SharedEntry, path: string): Iterator<readonly [SharedEntry, string]> {
    const pattern = path.split(/[\\/]/).at(-1) || '*'
    if (pattern.length > MAX_PATTERN) throw new Refused(STATUS.badName)
    const isMeant = meantBy(pattern)
    const around = ['.', '..'].map((name) => [folder, name] as const)
    const inside = this.#files.folder.inside(folder.path).map((one) => [one, nameOf(one.path)] as const)
    return [...around, ...inside].filter(([, name]) => isMeant(name)).values()
  }
}

function known(body: Buffer | undefined): Answer {
  if (!body) throw new Refused(STATUS.notSupported)
  return okWith(body)
}

/** Up to its end, where it has one. */
function textOf(bytes: Buffer): string {
  const text = bytes.subarray(0, bytes.length & ~1).toString('utf16le')
  const end = text.indexOf('\0')
  return end < 0 ? text : text.slice(0, end)
}
