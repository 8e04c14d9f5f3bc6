import { type FileHandle, open, rm } from 'node:fs/promises'
import type { TerminalSize } from './streams.ts'

/** What is in memory reaches the file at least this often (issue: "flushed at least every second"). */
const FLUSH_MS = 500
/** Written at once when so much has gathered. */
const FLUSH_CHARACTERS = 64 * 1024
/** With more than this waiting for the disk the machine is paused. */
const BACKLOG_BYTES = 4 * 1024 * 1024

export interface RecordingHeader {
  size: TerminalSize
  title: string
  /** Moments are counted from here, so that commands can be found in the recording by their time. */
  startedAt: Date
  /** Milliseconds that only go forward. */
  now?: () => number
}

/**
 * Writes a session down as asciicast v2 (https://docs.asciinema.org/manual/asciicast/v2/): a header, then `[seconds, "o", text]` per output and
 * `[seconds, "r", "COLSxROWS"]` per resize. Bytes that are cut in the middle of a character wait for their rest.
 */
export class Recorder {
  readonly path: string
  /** Of the clock below, which no change of the system's time can turn back. */
  readonly #startedAt: number
  readonly #now: () => number
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #file: FileHandle | undefined
  #pending: string[] = []
  #pendingLength = 0
  #writing: Promise<void> = Promise.resolve()
  #unwritten = 0
  /** Bytes of the file, those on their way included. */
  #handed = 0
  /** `output` has answered false and `onDrain` is still owed. */
  #behind = false
  #timer: NodeJS.Timeout | undefined
  #failed = false
  /** The recording can't go on: full disk, lost store. Called once. */
  onFailure: (error: Error) => void = () => {}
  /** The disk has caught up after `write` answered false. */
  onDrain: () => void = () => {}

  private constructor(path: string, file: FileHandle, { startedAt, now = () => performance.now() }: RecordingHeader) {
    this.path = path
    this.#now = now
    this.#startedAt = now() - Math.max(0, Date.now() - startedAt.getTime())
    this.#file = file
  }

  /** Makes the file with its header. Throws when it can't be made: nothing may happen unrecorded. */
  static async open(path: string, recording: RecordingHeader): Promise<Recorder> {
    const { size, title, startedAt } = recording
    const file = await open(path, 'wx', 0o600)
    const header = {
      version: 2,
      width: size.cols,
      height: size.rows,
      timestamp: Math.floor(startedAt.getTime() / 1000),
      title,
      env: { SHELL: '/bin/bash', TERM: 'xterm-256color' },
    }
    const head = Buffer.from(`${JSON.stringify(header)}\n`)
    try {
      await file.writeFile(head)
    } catch (error) {
      await file.close()
      throw error
    }
    const recorder = new Recorder(path, file, recording)
    recorder.#handed = head.length
    return recorder
  }

  /** Takes output. False when the disk is behind: pause the machine until `onDrain`. Answers the text for whoever else wants it. */
  output(bytes: Buffer): { text: string; ready: boolean } {
    const text = this.#decoder.decode(bytes, { stream: true })
    if (text) this.#event('o', text)
    if (this.#unwritten >= BACKLOG_BYTES) this.#behind = true
    return { text, ready: !this.#behind }
  }

  resize({ cols, rows }: TerminalSize): void {
    this.#event('r', `${cols}x${rows}`)
  }

  #event(code: 'o' | 'r', data: string): void {
    if (!this.#file || this.#failed) return
    const seconds = (this.#now() - this.#startedAt) / 1000
    const line = `[${seconds.toFixed(6)},"${code}",${JSON.stringify(data)}]\n`
    this.#pending.push(line)
    this.#pendingLength += line.length
    if (this.#pendingLength >= FLUSH_CHARACTERS) void this.flush()
    else this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS)
  }

  /** Hands everything in memory to the system. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!this.#pendingLength) return this.#writing
    const bytes = Buffer.from(this.#pending.join(''))
    this.#pending = []
    this.#pendingLength = 0
    this.#unwritten += bytes.length
    this.#handed += bytes.length
    this.#writing = this.#writing.then(async () => {
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
    })
    return this.#writing
  }

  /** Writes all there is; answers how long the file is with everything until now, whatever is added meanwhile. */
  async written(): Promise<number> {
    const writing = this.flush()
    const length = this.#handed
    await writing
    return length
  }

  /** Writes the rest and closes the file; pack it with `packRecording` afterwards. */
  async close(): Promise<void> {
    const rest = this.#decoder.decode()
    if (rest) this.#event('o', rest)
    await this.flush()
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  /** Nothing came about: no recording either. */
  async discard(): Promise<void> {
    await this.close()
    await rm(this.path, { force: true })
  }
}
