import { ftruncateSync, renameSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { awaitedLater } from '../../kernel/background.ts'

/**
 * A file of lines that are added at its end. A line is handed to the system at once, not by Node's
 * pool of threads: that takes some microseconds, the way to a thread and back many times as long,
 * and a small file waits for it. Whatever waits for the disk itself does so in a thread.
 */
export class AppendFile {
  readonly #path: string
  #file: FileHandle
  #length: number
  /** Rewrites, one after the other. */
  #turn: Promise<unknown> = Promise.resolve()
  /** Lines added while the file is rewritten, which the new one must have as well. */
  #since: string[] | undefined
  #syncing: Promise<void> = Promise.resolve()
  #syncNext: Promise<void> | undefined

  private constructor(path: string, file: FileHandle, length: number) {
    this.#path = path
    this.#file = file
    this.#length = length
  }

  /** With the whole lines that are there; a last one that was cut off by a crash is dropped. */
  static async open(path: string): Promise<{ file: AppendFile; lines: string[] }> {
    const made = await open(path, 'a', 0o600)
    await made.close()
    const handle = await open(path, 'r+')
    const text = await handle.readFile('utf8')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    return { file: new AppendFile(path, handle, Buffer.byteLength(whole)), lines: whole.split('\n').slice(0, -1) }
  }

  /** Bytes that are written. */
  get length(): number {
    return this.#length
  }

  /**
   * The system has the line then, which outlives this process. Throws what the system throws: then
   * nothing of it stays.
   */
  append(line: string): void {
    this.appendAll([line])
  }

  /** The same of several lines, by one call of the system; nothing of them stays where it throws. */
  appendAll(lines: readonly string[]): void {
    this.#length += writeLines(this.#file, lines, this.#length)
    this.#since?.push(...lines)
  }

  /** Settles when everything that was written before is on the disk itself; writes go on. */
  sync(): Promise<void> {
    this.#syncNext ??= awaitedLater(
      Promise.all([this.#turn, this.#syncing.catch(() => {})]).then(() => {
        this.#syncNext = undefined
        this.#syncing = awaitedLater(this.#file.datasync())
        return this.#syncing
      }),
    )
    return this.#syncNext
  }

  /** Puts these lines in the place of all that are written when its turn comes. */
  rewrite(lines: () => readonly string[]): Promise<void> {
    return this.#next(() => this.#replace(lines()))
  }

  async close(): Promise<void> {
    await this.#next(async () => {
      await this.#syncing.catch(() => {})
      await this.#file.close()
    })
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  async #replace(lines: readonly string[]): Promise<void> {
    if (!lines.length) {
      ftruncateSync(this.#file.fd)
      this.#length = 0
      return
    }
    this.#since = []
    try {
      await this.#swap(lines, this.#since)
    } finally {
      this.#since = undefined
    }
    const folder = await open(dirname(this.#path))
    await folder.sync().finally(() => folder.close())
  }

  async #swap(lines: readonly string[], since: readonly string[]): Promise<void> {
    const path = `${this.#path}.new`
    const file = await open(path, 'w+', 0o600)
    const old = this.#file
    try {
      const bytes = Buffer.from(`${lines.join('\n')}\n`)
      await file.writeFile(bytes)
      await file.datasync()
      // From here on in one turn: nothing can be added to the old file alone.
      const length = bytes.length + writeLines(file, since, bytes.length)
      renameSync(path, this.#path)
      this.#file = file
      this.#length = length
    } catch (error) {
      await file.close()
      throw error
    }
    await old.close()
  }
}

/** Returns their size in bytes. A write that fails leaves nothing. */
function writeLines({ fd }: FileHandle, lines: readonly string[], position: number): number {
  if (!lines.length) return 0
  const [only] = lines
  const { bytes, length } = bytesOf(lines.length === 1 ? `${only}\n` : `${lines.join('\n')}\n`)
  try {
    for (let at = 0; at < length; ) at += writeSync(fd, bytes, at, length - at, position + at)
  } catch (error) {
    try {
      ftruncateSync(fd, position)
    } catch {
      // The next line is written over what is there.
    }
    throw error
  }
  return length
}

/** Longer texts get bytes of their own. */
const OFTEN_BYTES = 64 * 1024
const often = Buffer.allocUnsafeSlow(OFTEN_BYTES)

/** They are written at once, so that most need no memory of their own. */
function bytesOf(text: string): { bytes: Buffer; length: number } {
  if (text.length * 3 <= OFTEN_BYTES) return { bytes: often, length: often.write(text) }
  const bytes = Buffer.from(text)
  return { bytes, length: bytes.length }
}
