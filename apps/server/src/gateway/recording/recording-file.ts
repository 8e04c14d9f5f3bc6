import { type FileHandle, open, rm } from 'node:fs/promises'
import { awaitedLater, inBackground } from '../../kernel/background.ts'

/** Interval at which memory reaches the file, in milliseconds, at most. */
const FLUSH_MS = 500
/** Written at once when so much has gathered. */
const FLUSH_CHARACTERS = 64 * 1024
/** With more than this waiting for the disk, writers should wait. */
const BACKLOG_BYTES = 4 * 1024 * 1024

/**
 * Writer of a kind's recording, line by line. The first line is a JSON object with the `timestamp`
 * of the start (Unix seconds), every other an array that begins with the seconds since then, so
 * that crash recovery can find the last moment; the rest is up to the kind.
 */
export interface RecordingWriter {
  readonly path: string
  /**
   * Adds a line, which ends with a line feed; an empty text adds nothing. False when the disk is
   * behind: wait for `onDrain`.
   */
  append(line: string): boolean
  /**
   * Writes everything that was added so far; answers the length of the recording up to there, in
   * bytes.
   */
  written(): Promise<number>
  /** Writes the rest and closes; pack it with `packRecording` afterwards. */
  close(): Promise<void>
  /** Deletes the recording of a session that did not come about. */
  discard(): Promise<void>
  /** The recording can't continue, as on a full disk. Called once. */
  onFailure: (error: Error) => void
  /** The disk has caught up after `append` answered false. */
  onDrain: () => void
}

export interface RecordingHeader {
  /** Unix seconds. */
  timestamp: number
  [name: string]: unknown
}

/** A recording in a file of this node. */
export class RecordingFile implements RecordingWriter {
  readonly path: string
  #file: FileHandle | undefined
  #pending: string[] = []
  #pendingLength = 0
  #writing: Promise<void> = Promise.resolve()
  #unwritten = 0
  /** Length of the file in bytes, including what is on its way. */
  #handed: number
  /** `append` has answered false, and `onDrain` has not been called since. */
  #behind = false
  #timer: NodeJS.Timeout | undefined
  #failed = false
  onFailure: (error: Error) => void = () => {}
  onDrain: () => void = () => {}

  private constructor(path: string, file: FileHandle, length: number) {
    this.path = path
    this.#file = file
    this.#handed = length
  }

  /**
   * Creates the file with its first line. Throws if it can't: nothing may happen unrecorded.
   */
  static async open(path: string, header: RecordingHeader): Promise<RecordingFile> {
    const file = await open(path, 'wx', 0o600)
    const head = Buffer.from(`${JSON.stringify(header)}\n`)
    try {
      await file.writeFile(head)
    } catch (error) {
      await file.close()
      throw error
    }
    return new RecordingFile(path, file, head.length)
  }

  append(line: string): boolean {
    if (line && this.#file && !this.#failed) {
      this.#pending.push(line)
      this.#pendingLength += line.length
      if (this.#pendingLength >= FLUSH_CHARACTERS) inBackground(this.#flush())
      else this.#timer ??= setTimeout(() => inBackground(this.#flush()), FLUSH_MS)
    }
    if (this.#unwritten >= BACKLOG_BYTES) this.#behind = true
    return !this.#behind
  }

  /** Hands everything in memory to the operating system. */
  #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!this.#pendingLength) return this.#writing
    const bytes = Buffer.from(this.#pending.join(''))
    this.#pending = []
    this.#pendingLength = 0
    this.#unwritten += bytes.length
    this.#handed += bytes.length
    this.#writing = awaitedLater(
      this.#writing.then(async () => {
        try {
          if (!this.#failed) await this.#file?.writeFile(bytes)
        } catch (error) {
          this.#failed = true
          this.onFailure(error as Error)
        } finally {
          this.#unwritten -= bytes.length
          if (this.#behind && this.#unwritten < BACKLOG_BYTES / 2) {
            this.#behind = false
            this.onDrain()
          }
        }
      }),
    )
    return this.#writing
  }

  async written(): Promise<number> {
    const writing = this.#flush()
    const length = this.#handed
    await writing
    return length
  }

  async close(): Promise<void> {
    await this.#flush()
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  async discard(): Promise<void> {
    await this.close()
    await rm(this.path, { force: true })
  }
}
