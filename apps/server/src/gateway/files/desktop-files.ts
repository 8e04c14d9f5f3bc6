import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { mayConnect } from '../../domains/perms/index.ts'
import { inBackground } from '../../kernel/background.ts'
import { refused } from '../../kernel/errors/app-error.ts'
import { inTime } from '../../kernel/in-time.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { CopiedFile, CopiedFiles } from '../kinds/desktop/files/copied-files.ts'
import { nameOf } from '../kinds/desktop/files/names.ts'
import type { FileWay, SessionFolder } from '../kinds/desktop/files/session-folder.ts'
import { FolderRefusal, type SharedEntry, type SharedFolder } from '../kinds/desktop/files/shared-folder.ts'
import { UploadsInParts } from '../kinds/desktop/files/uploads-in-parts.ts'
import { DRIVE_NAME } from '../protocols/rdp/drive/information.ts'
import type { RequestBase } from '../session/session-request.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'
import { CopiedOnMachine } from './copied-on-machine.ts'
import { type FileLogEntry, fileActor, type LoggedOperation, logOperation } from './file-log.ts'
import { FileRights } from './file-rights.ts'
import { NodeFolder } from './node-folder.ts'

/** A database that takes longer counts as unavailable: meanwhile nothing is given out. */
const ANSWER_MS = 2000
/** Pages hear of changes together. */
const REPORT_MS = 200

/** Folder of the folders of this node's sessions. */
const placeOfAll = (kernel: Kernel) => join(kernel.config.dataDirectory, 'desktop-files')

/** Removes the folders of sessions that a killed process has left. */
export async function clearDesktopFiles(kernel: Kernel): Promise<void> {
  await rm(placeOfAll(kernel), { recursive: true, force: true })
}

export interface DesktopFilesParts {
  kernel: Kernel
  opening: Pick<RequestBase, 'person' | 'systemUserId'>
  target: ConnectionTarget
  sessionId: string
}

/**
 * Files that a person and the machine of a desktop exchange. To put something there for the machine
 * needs the right to upload, and so does the machine that takes it; to fetch from there the right
 * to download, and so does the machine that puts it there. All rights are checked each time, and
 * the person's files are in the FTP log.
 */
export class DesktopFiles implements SessionFolder {
  readonly folder: SharedFolder
  readonly uploads = new UploadsInParts((name, content) => this.receive(name, content))
  isLocked = () => false
  onPassed = () => {}
  onChange = () => {}
  onPermitted = () => {}
  onMoved: SessionFolder['onMoved'] = () => {}
  onRefused: SessionFolder['onRefused'] = () => {}
  readonly #rights: FileRights
  readonly #log: (operation: LoggedOperation) => Promise<FileLogEntry>
  readonly #reported = new Set<FileWay>()
  readonly #copied = new CopiedOnMachine()
  #reporting: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ kernel, opening, target, sessionId }: DesktopFilesParts) {
    const { person, systemUserId } = opening
    const actor = fileActor(person, target, sessionId)
    this.folder = new NodeFolder(join(placeOfAll(kernel), sessionId))
    this.folder.onChange = () => this.#changed()
    this.#log = (operation) => logOperation(kernel, actor, operation)
    this.#rights = new FileRights(
      () => mayConnect(kernel.db, { userId: person.id, target: target.target, systemUserId }),
      { inBulk: true },
    )
  }

  async may(): Promise<{ upload: boolean; download: boolean; paste: boolean }> {
    const may = await this.#rights.current()
    const [upload, download] = [may('upload_file'), may('download_file')]
    if ((upload || download) && !this.#isClosed) this.onPermitted()
    return { upload, download, paste: upload && may('clipboard_paste') }
  }

  async mayTake(file: SharedEntry): Promise<boolean> {
    return !file.isFromPerson || (await this.#mayMachine('upload', file.path))
  }

  mayPut(path: string): Promise<boolean> {
    return this.#mayMachine('download', path)
  }

  receive(name: string, content: AsyncIterable<Buffer>): Promise<SharedEntry> {
    return this.#logged({ operate: 'Upload', names: [fullName(name)] }, async (entry) => {
      await this.#mayReceive()
      const file = await this.folder.receive(name, this.#whilePermitted(content))
      this.onMoved('upload', file.path)
      await entry.end(true, [fullName(file.path)])
      return file
    })
  }

  send(file: SharedEntry): Promise<{ size: number; content: Readable }> {
    return this.#logged({ operate: 'Download', names: [fullName(file.path)] }, async (entry) => {
      await this.#rights.demand('download_file')
      this.onMoved('download', file.path)
      const { size } = file
      const state = { left: size }
      const content = Readable.from(this.#read(file, state), { objectMode: false })
      // Also of one that nobody has begun to read.
      content.once('close', () => inBackground(entry.end(state.left === 0)))
      return { size, content }
    })
  }

  remove(file: SharedEntry): Promise<void> {
    return this.#logged({ operate: 'Delete', names: [fullName(file.path)] }, async (entry) => {
      await this.#rights.demand('connect')
      await this.folder.remove(file)
      await entry.end(true)
    })
  }

  async give(ids: readonly number[]): Promise<CopiedFiles | undefined> {
    const given = this.folder.entries.filter(({ id, isFromPerson }) => isFromPerson && ids.includes(id))
    const [first] = given
    if (!first || !(await this.mayTake(first))) return undefined
    const entryOf = async ({ index }: CopiedFile) => {
      const entry = given[index]
      // One that was removed holds nothing, and is not an empty one.
      if (entry?.state !== 'there' || !(await this.mayTake(entry))) throw new FolderRefusal('missing')
      await this.#rights.demand('clipboard_paste')
      return entry
    }
    return {
      files: given.map(({ path, size }, index) => ({ index, path: nameOf(path), isFolder: false, size })),
      size: async (file) => (await entryOf(file)).size,
      read: async (file, offset, length) => this.folder.read(await entryOf(file), offset, length),
    }
  }

  get copied(): ReadonlyMap<number, CopiedFile> {
    return this.#copied.files
  }

  /** Also where they may not be had: then nothing is offered any more. */
  async offer(copied: CopiedFiles | undefined): Promise<boolean> {
    const first = copied?.files[0]
    const may = first !== undefined && (await this.#mayMachine('download', first.path, CLIPBOARD))
    if (this.#copied.offer(may && !this.#isClosed ? copied : undefined)) this.#changed()
    return may
  }

  sendCopied(id: number): Promise<{ size: number; content: Readable }> {
    const path = this.copied.get(id)?.path
    if (path === undefined) throw new FolderRefusal('missing')
    return this.#logged({ operate: 'Download', names: [fullName(path, CLIPBOARD)] }, async (entry) => {
      await this.#mayHaveCopied()
      const opened = await this.#copied.open(
        id,
        () => this.#mayHaveCopied(),
        (isWhole) => inBackground(entry.end(isWhole)),
      )
      this.onMoved('download', path)
      return opened
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#copied.offer(undefined)
    clearTimeout(this.#reporting)
    this.uploads.close()
    await this.folder.close()
  }

  /** A failure, or a refusal, leaves its row as well. */
  async #logged<T>(operation: LoggedOperation, work: (entry: FileLogEntry) => Promise<T>): Promise<T> {
    const entry = await this.#log(operation)
    try {
      return await work(entry)
    } catch (error) {
      await entry.end(false)
      throw error
    }
  }

  async *#whilePermitted(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const bytes of content) {
      await this.#mayReceive()
      yield bytes
    }
    // Nobody has it before this, however long the last bytes took.
    await this.#mayReceive()
  }

  async #mayReceive(): Promise<void> {
    await this.#rights.demand('upload_file')
    if (this.#isClosed) throw new FolderRefusal('missing')
    // As everything that goes to the machine.
    if (this.isLocked()) throw refused('locked', 'The input of this session is locked')
    this.onPassed()
  }

  async #mayHaveCopied(): Promise<void> {
    await this.#rights.demand('download_file')
    await this.#rights.demand('clipboard_copy')
    if (this.#isClosed) throw new FolderRefusal('missing')
    this.onPassed()
  }

  /** As long as it was when it was asked for; one that became shorter breaks off. */
  async *#read(file: SharedEntry, state: { left: number }): AsyncGenerator<Buffer> {
    if (!state.left) return
    const content = createReadStream(this.folder.contentPath(file), { end: state.left - 1 })
    for await (const bytes of content as AsyncIterable<Buffer>) {
      if (this.#isClosed) break
      await this.#rights.demand('download_file')
      this.onPassed()
      state.left -= bytes.length
      yield bytes
    }
    if (state.left) throw new FolderRefusal('missing')
  }

  async #mayMachine(way: FileWay, path: string, place = DRIVE): Promise<boolean> {
    try {
      await inTime(this.#rights.demand(`${way}_file`), ANSWER_MS, () => new Error('no answer in time'))
      this.#reported.delete(way)
      return true
    } catch {
      this.#refused(way, fullName(path, place))
      return false
    }
  }

  /** Once, until it is permitted again: a machine may try over and over. */
  #refused(way: FileWay, name: string): void {
    if (this.#reported.has(way) || this.#isClosed) return
    this.#reported.add(way)
    this.onRefused(way)
    this.#log({ operate: way === 'upload' ? 'Upload' : 'Download', names: [name] }).then(
      (row) => row.end(false),
      () => {},
    )
  }

  #changed(): void {
    if (this.#reporting || this.#isClosed) return
    this.#reporting = setTimeout(() => {
      this.#reporting = undefined
      this.onChange()
    }, REPORT_MS)
  }
}

/** As Windows names it, which is where most look. */
const DRIVE = `\\\\tsclient\\${DRIVE_NAME}`
const CLIPBOARD = 'Clipboard'
const fullName = (path: string, place = DRIVE) => `${place}\\${path.replaceAll('/', '\\')}`
