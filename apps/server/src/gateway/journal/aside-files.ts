import { open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type JournalRow, wholeRowsOf } from './lines.ts'

/** A file of rows that are over, each a line of JSON. */
interface AsideFile {
  path: string
  bytes: number
}

/**
 * Rows that are over and wait for the database in files instead of in memory, each file written once and removed as a
 * whole. The files are beside the journal, named after it and numbered.
 */
export class AsideFiles<Content extends object> {
  readonly #path: string
  readonly #files: AsideFile[]
  #bytes: number
  #number: number

  private constructor(path: string, files: AsideFile[], number: number) {
    this.#path = path
    this.#files = files
    this.#bytes = files.reduce((sum, { bytes }) => sum + bytes, 0)
    this.#number = number
  }

  /** With those that an earlier process has left. The folder exists. */
  static async open<Content extends object>(journal: string): Promise<AsideFiles<Content>> {
    const folder = dirname(journal)
    const prefix = `${basename(journal)}.`
    const numbers = (await readdir(folder))
      .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
      .map((name) => Number(name.slice(prefix.length)))
      .sort((one, other) => one - other)
    const files = await Promise.all(
      numbers.map(async (number) => {
        const path = join(folder, `${prefix}${number}`)
        return { path, bytes: (await stat(path)).size }
      }),
    )
    return new AsideFiles(journal, files, numbers.at(-1) ?? 0)
  }

  /** On the disk, of all files. */
  get bytes(): number {
    return this.#bytes
  }

  get count(): number {
    return this.#files.length
  }

  /** Settles once they are on the disk itself; throws what the system throws, and leaves nothing then. */
  async add(rows: readonly JournalRow<Content>[]): Promise<void> {
    const bytes = Buffer.from(`${rows.map((row) => JSON.stringify(row)).join('\n')}\n`)
    const path = `${this.#path}.${++this.#number}`
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.datasync()
    } catch (error) {
      await rm(path, { force: true })
      throw error
    } finally {
      await file.close()
    }
    this.#files.push({ path, bytes: bytes.length })
    this.#bytes += bytes.length
  }

  /** Rows of the oldest file. A line that was cut off by a crash is dropped: the journal has its row. */
  async oldest(): Promise<JournalRow<Content>[]> {
    const [file] = this.#files
    return file ? wholeRowsOf<Content>((await readFile(file.path, 'utf8')).split('\n')) : []
  }

  /** Removes the oldest file. */
  async removeOldest(): Promise<void> {
    const [file] = this.#files
    if (!file) return
    await rm(file.path, { force: true })
    this.#files.shift()
    this.#bytes -= file.bytes
  }
}
