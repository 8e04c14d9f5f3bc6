import { awaitedLater } from '../../kernel/background.ts'
import type { SftpClient } from './sftp/sftp-client.ts'
import { type FileAttributes, SAFE_CHUNK } from './sftp/sftp-wire.ts'

/** Time for which facts read at a file's opening hold, in milliseconds. */
const HOLDS_MS = 1000

/**
 * The first bytes of a file and its attributes, read as soon as it is open: a client that opens a
 * file to read it asks for nothing else next. With a small file that is all, and its size, content
 * and end are answered without another way to the machine and back.
 */
export class FileStart {
  readonly #attributes: Promise<FileAttributes>
  readonly #bytes: Promise<Buffer | undefined>
  /** How much of the file there is, once it is known that the beginning is all of it. */
  #size: number | undefined
  /** Settles once that is known, if it will be. */
  readonly #isSeen: Promise<void>
  #until = performance.now() + HOLDS_MS

  constructor(client: SftpClient, handle: Buffer) {
    // A failure goes to the caller.
    this.#attributes = awaitedLater(client.fstat(handle))
    this.#bytes = awaitedLater(client.read(handle, 0, SAFE_CHUNK))
    this.#isSeen = Promise.all([this.#attributes, this.#bytes]).then(
      ([{ size }, bytes]) => {
        const have = bytes?.length ?? 0
        // Files that no disk has, as in /proc, may give less than was asked for with more behind:
        // their size is 0.
        if (size === have) this.#size = have
      },
      () => {},
    )
  }

  /** It may have been changed since. */
  forget(): void {
    this.#until = 0
  }

  /** As OpenFile's `stat`; undefined when the machine must be asked. Throws SftpStatus. */
  attributes(): Promise<FileAttributes> | undefined {
    return performance.now() > this.#until ? undefined : this.#attributes
  }

  /** As OpenFile's `read`; `unknown` when the machine must be asked. Throws SftpStatus. */
  async read(offset: number, length: number): Promise<Buffer | undefined | 'unknown'> {
    if (performance.now() > this.#until) return 'unknown'
    // The parts of a large file do not wait for its beginning.
    if (offset >= SAFE_CHUNK && this.#size === undefined) return 'unknown'
    const bytes = await this.#bytes
    const have = bytes?.length ?? 0
    if (offset + length <= have) return bytes?.subarray(offset, offset + length)
    await this.#isSeen
    if (this.#size === undefined) return 'unknown'
    return offset >= have ? undefined : bytes?.subarray(offset)
  }
}
