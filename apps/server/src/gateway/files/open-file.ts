import { awaitedLater } from '../../kernel/background.ts'
import type { FileLogEntry } from './file-log.ts'
import type { FileAction } from './file-rights.ts'
import type { FileStart } from './file-start.ts'
import type { SftpClient } from './sftp/sftp-client.ts'
import { type FileAttributes, OPEN, SftpStatus, STATUS } from './sftp/sftp-wire.ts'

/** In the FTP log: what the file is open for. */
export interface OpenFileEntries {
  upload?: FileLogEntry
  download?: FileLogEntry
}

export interface OpenFileParts {
  client: SftpClient
  handle: Buffer
  flags: number
  /** Whether mode, owner and times are passed on to the machine. */
  keepsAttributes: boolean
  /** Bytes that were asked for, if not all: a preview is complete once they have been read. */
  wanted?: number | undefined
  entries: OpenFileEntries
  /** Its first bytes, if they were asked for already. */
  start?: FileStart | undefined
  /** Called once, at the end. */
  onOver(): void
}

/** By the flags of OPEN: asked for with each of many small files. */
const ACTIONS = Array.from({ length: 64 }, (_, flags): readonly FileAction[] => {
  const changes = flags & (OPEN.WRITE | OPEN.APPEND | OPEN.CREAT | OPEN.TRUNC)
  return [
    ...(changes ? (['upload_file'] as const) : []),
    ...(flags & OPEN.READ || !changes ? (['download_file'] as const) : []),
  ]
})

/** The rights that an open file needs as long as it is open. */
export const actionsOf = (flags: number): readonly FileAction[] => ACTIONS[flags & 63] as readonly FileAction[]

/**
 * An open file on a machine, and its log entry: an upload succeeded if every write and the close
 * did, a download if its end was reached. Both failed if the client did not close the file.
 */
export class OpenFile {
  readonly #parts: OpenFileParts
  readonly actions: readonly FileAction[]
  #reachedEnd = false
  #wasRead = false
  #failed = false
  #size: Promise<number> | undefined
  /** Writes without an answer. */
  readonly #writes = new Set<Promise<void>>()
  #isClosed = false
  #stopped: SftpStatus | undefined

  constructor(parts: OpenFileParts) {
    this.#parts = parts
    this.actions = actionsOf(parts.flags)
  }

  /** At most `length` bytes, possibly fewer; undefined at the end. */
  async read(offset: number, length: number): Promise<Buffer | undefined> {
    this.#check()
    this.#wasRead = true
    const { client, handle, wanted = Number.POSITIVE_INFINITY, start } = this.#parts
    const ahead = await this.#noting(start?.read(offset, length) ?? Promise.resolve('unknown' as const))
    const bytes = ahead === 'unknown' ? await this.#noting(client.read(handle, offset, length)) : ahead
    this.#checkStopped()
    if (!bytes || offset + bytes.length >= wanted) this.#reachedEnd = true
    else if (!this.#reachedEnd) {
      const size = await this.#sizeAtFirst()
      // Less than was asked for means the end of a file on a disk (draft-ietf-secsh-filexfer-02 §6.4), and clients that
      // know the size need not read up to that. Others, as those of /proc, have bytes though their size is 0.
      const isLast = bytes.length < client.lengthOfRead(length) || offset + bytes.length >= size
      if (size && isLast) this.#reachedEnd = true
    }
    this.#checkStopped()
    return bytes
  }

  /** The size when somebody began to read; asked once. */
  #sizeAtFirst(): Promise<number> {
    this.#size ??= this.stat().then(
      ({ size = Number.POSITIVE_INFINITY }) => size,
      () => Number.POSITIVE_INFINITY,
    )
    return this.#size
  }

  async write(offset: number, bytes: Buffer): Promise<void> {
    this.#check()
    const written = awaitedLater(this.#parts.client.write(this.#parts.handle, offset, bytes))
    this.#writes.add(written)
    try {
      await written
    } catch (error) {
      this.#failed = true
      throw error
    } finally {
      this.#writes.delete(written)
    }
    this.#checkStopped()
  }

  /**
   * Copies on the machine itself, into a file that is open for writing; `length` 0 is up to the end.
   * Counts as read and written.
   */
  async copyTo(
    target: OpenFile,
    { offset, length, at }: { offset: number; length: number; at: number },
  ): Promise<void> {
    this.#check()
    target.#check()
    if (!this.actions.includes('download_file') || !target.actions.includes('upload_file'))
      throw new SftpStatus(STATUS.PERMISSION_DENIED, 'The files are not open for this')
    const { client, handle } = this.#parts
    if (client !== target.#parts.client)
      throw new SftpStatus(STATUS.FAILURE, 'Files can only be copied within one machine')
    this.#wasRead = true
    await this.#noting(target.#noting(client.copyData(handle, offset, length, target.#parts.handle, at)))
    if (!length || offset + length >= (await this.#sizeAtFirst())) this.#reachedEnd = true
  }

  async stat(): Promise<FileAttributes> {
    this.#check()
    const { client, handle, start } = this.#parts
    return start?.attributes() ?? client.fstat(handle)
  }

  /** From now on the machine is asked, whatever was learned when it was opened. */
  forgetStart(): void {
    this.#parts.start?.forget()
  }

  async setstat(attributes: FileAttributes): Promise<void> {
    this.#check()
    if (!this.actions.includes('upload_file'))
      throw new SftpStatus(STATUS.PERMISSION_DENIED, 'The file is not open for writing')
    const { client, handle, keepsAttributes } = this.#parts
    if (keepsAttributes) await client.fsetstat(handle, attributes)
    else if (attributes.size !== undefined) await client.fsetstat(handle, { size: attributes.size })
  }

  async sync(): Promise<void> {
    this.#check()
    await this.#parts.client.fsync(this.#parts.handle)
  }

  /**
   * Reads must have been answered. Writes need not: the machine does what concerns one file in the
   * order in which it was asked (draft-ietf-secsh-filexfer-02 §6.1).
   */
  async close(): Promise<void> {
    this.#check()
    this.#isClosed = true
    const { client, handle, entries } = this.#parts
    // With a file that was only read, nothing can go wrong any more.
    if (!entries.upload) {
      client.closeUnhurried(handle)
      return this.#over()
    }
    try {
      await this.#noting(client.closeHandle(handle))
    } finally {
      // Should it answer in another order.
      if (this.#writes.size) await Promise.allSettled(this.#writes)
      await this.#over()
    }
  }

  /** Ends it early; from now on every call throws the reason. */
  async stop(reason: SftpStatus): Promise<void> {
    if (this.#stopped || this.#isClosed) return
    this.#stopped = reason
    this.#failed = true
    this.#parts.client.closeHandle(this.#parts.handle).catch(() => {})
    await this.#over()
  }

  #check(): void {
    this.#checkStopped()
    if (this.#isClosed) throw new SftpStatus(STATUS.FAILURE, 'The file is closed')
  }

  /** Requests before the close of the file are answered. */
  #checkStopped(): void {
    if (this.#stopped) throw this.#stopped
  }

  async #noting<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      this.#failed = true
      throw error
    }
  }

  async #over(): Promise<void> {
    const { entries, onOver } = this.#parts
    onOver()
    // Open for both, and never read: no download was tried.
    if (entries.upload && !this.#wasRead) entries.download?.drop()
    const ends = [entries.upload?.end(!this.#failed), entries.download?.end(!this.#failed && this.#reachedEnd)]
    for (const end of ends) if (end) await end
  }
}
