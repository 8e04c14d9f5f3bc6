import type { FileOperate } from './file-log.ts'
import type { FileAction } from './file-rights.ts'
import type { SftpClient } from './sftp/sftp-client.ts'
import { type FileAttributes, OPEN, SftpStatus, STATUS } from './sftp/sftp-wire.ts'

export interface OpenFileParts {
  client: SftpClient
  handle: Buffer
  flags: number
  /** Whether mode, owner and times are passed on to the machine. */
  keepsAttributes: boolean
  /** Bytes that were asked for, if not all: a preview is complete once they have been read. */
  wanted?: number | undefined
  /** Called once, at the end. */
  onOver(done: { operate: FileOperate; isSuccess: boolean }[]): Promise<void>
}

/** The rights that an open file needs as long as it is open. */
export function actionsOf(flags: number): FileAction[] {
  const changes = flags & (OPEN.WRITE | OPEN.APPEND | OPEN.CREAT | OPEN.TRUNC)
  return [
    ...(changes ? (['upload_file'] as const) : []),
    ...(flags & OPEN.READ || !changes ? (['download_file'] as const) : []),
  ]
}

/**
 * An open file on a machine, and its log entry: an upload succeeded if every write and the close
 * did, a download if its end was reached. Both failed if whoever opened the file did not close it.
 */
export class OpenFile {
  readonly #parts: OpenFileParts
  readonly actions: readonly FileAction[]
  #reachedEnd = false
  #wasRead = false
  #failed = false
  #size: Promise<number | undefined> | undefined
  #stopped: SftpStatus | undefined

  constructor(parts: OpenFileParts) {
    this.#parts = parts
    this.actions = actionsOf(parts.flags)
  }

  /** At most `length` bytes, possibly fewer; undefined at the end. */
  async read(offset: number, length: number): Promise<Buffer | undefined> {
    this.#check()
    this.#wasRead = true
    // Clients that know the size don't read up to the end-of-file answer.
    this.#size ??= this.stat().then(
      ({ size }) => size,
      () => undefined,
    )
    const bytes = await this.#noting(this.#parts.client.read(this.#parts.handle, offset, length))
    const end = Math.min((await this.#size) ?? Number.POSITIVE_INFINITY, this.#parts.wanted ?? Number.POSITIVE_INFINITY)
    this.#check()
    if (!bytes || offset + bytes.length >= end) this.#reachedEnd = true
    return bytes
  }

  async write(offset: number, bytes: Buffer): Promise<void> {
    this.#check()
    await this.#noting(this.#parts.client.write(this.#parts.handle, offset, bytes))
    this.#check()
  }

  async stat(): Promise<FileAttributes> {
    this.#check()
    return this.#parts.client.fstat(this.#parts.handle)
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

  async close(): Promise<void> {
    this.#check()
    this.#stopped = new SftpStatus(STATUS.FAILURE, 'The file is closed')
    const closed = this.#parts.client.closeHandle(this.#parts.handle)
    await closed.catch(() => {
      this.#failed = true
    })
    await this.#over()
    await closed
  }

  /** Ends it early; from now on every call throws the reason. */
  async stop(reason: SftpStatus): Promise<void> {
    if (this.#stopped) return
    this.#stopped = reason
    this.#failed = true
    this.#parts.client.closeHandle(this.#parts.handle).catch(() => {})
    await this.#over()
  }

  #check(): void {
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

  #over(): Promise<void> {
    const isUpload = this.actions.includes('upload_file')
    const isDownload = this.#wasRead || !isUpload
    return this.#parts.onOver([
      ...(isUpload ? [{ operate: 'Upload' as const, isSuccess: !this.#failed }] : []),
      ...(isDownload ? [{ operate: 'Download' as const, isSuccess: !this.#failed && this.#reachedEnd }] : []),
    ])
  }
}
