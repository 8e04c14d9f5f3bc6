import { type FileHandle, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * A file of lines that are added at its end, by many callers at once: what comes while a write or a
 * sync is under way goes together with the next.
 */
export class AppendFile {
  readonly #path: string
  #file: FileHandle
  #length: number
  /** Writes and rewrites, one after the other. */
  #turn: Promise<unknown> = Promise.resolve()
  #pending: { lines: string[]; written: Promise<void> } | undefined
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

  /** Settles when the system has the line, which then outlives this process. */
  append(line: string): Promise<void> {
    if (this.#pending) this.#pending.lines.push(line)
    else {
      const lines = [line]
      const written = this.#next(() => {
        this.#pending = undefined
        return this.#write(lines)
      })
      this.#pending = { lines, written }
    }
    return this.#pending.written
  }

  /** Settles when everything that was written before is on the disk itself; writes go on. */
  sync(): Promise<void> {
    this.#syncNext ??= Promise.all([this.#turn, this.#syncing.catch(() => {})]).then(() => {
      this.#syncNext = undefined
      this.#syncing = this.#file.datasync()
      return this.#syncing
    })
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

  /** Of a write that fails nothing stays. */
  async #write(lines: readonly string[]): Promise<void> {
    const bytes = Buffer.from(`${lines.join('\n')}\n`)
    try {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.#length + at)
        at += bytesWritten
      }
    } catch (error) {
      await this.#file.truncate(this.#length).catch(() => {})
      throw error
    }
    this.#length += bytes.length
  }

  async #replace(lines: readonly string[]): Promise<void> {
    if (!lines.length) {
      await this.#file.truncate(0)
      this.#length = 0
      return
    }
    const path = `${this.#path}.new`
    const file = await open(path, 'w+', 0o600)
    try {
      const bytes = Buffer.from(`${lines.join('\n')}\n`)
      await file.writeFile(bytes)
      await file.datasync()
      await rename(path, this.#path)
      await this.#file.close()
      this.#file = file
      this.#length = bytes.length
    } catch (error) {
      await file.close()
      throw error
    }
    const folder = await open(dirname(this.#path))
    await folder.sync().finally(() => folder.close())
  }
}
