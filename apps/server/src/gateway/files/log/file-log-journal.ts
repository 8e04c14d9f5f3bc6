import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import type { FileOperation } from '../../../domains/audits/index.ts'
import { withRetries } from '../../recording/retry.ts'
import { AppendFile } from './append-file.ts'

/** Rows reach the database together, after this at the latest. */
const STORE_MS = 250
/** After a failure of the database. */
const STORE_AGAIN_MS = 5_000
const ROWS_AT_ONCE = 500
/** With so many rows that the database has not taken, nothing new begins. */
const MAX_OPEN = 10_000
/** A journal of this length is written anew with what is still needed of it. */
const MAX_BYTES = 8 * 1024 * 1024

/** A row of the FTP log; its id is made here, so that storing it twice makes no second one. */
export type FileLogRow = FileOperation & { id: string; date_start: Date }

type Line = { begun: FileLogRow } | { ended: string; is_success: boolean; date_start: Date } | { dropped: string }

/** Nothing can be written down: then nothing may happen either. */
export class JournalError extends Error {}

export interface JournalOptions {
  /** Stores rows; those that are there already are left as they are. */
  store(rows: readonly FileLogRow[]): Promise<void>
  log: Pick<FastifyBaseLogger, 'error'>
}

/** One operation on a file, written down before it begins. */
export interface JournalEntry {
  /**
   * It is all but over: so it counts if nobody can say otherwise any more. Saves `end` the wait when
   * called while the machine is asked for the last word.
   */
  expect(isSuccess: boolean): void
  /** It is over. Settles once the end of this process can't lose that; never throws. */
  end(isSuccess: boolean): Promise<void>
  /** It did not come about, and leaves no row. */
  drop(): void
}

/** What the database does not have yet. */
interface OpenRow {
  row: FileLogRow
  isOver: boolean
  /** The last line about its end. */
  ended?: { isSuccess: boolean; written: Promise<void> }
}

/**
 * The operations on files of this node on their way to the FTP log, in a file that is written
 * ahead. An operation begins once the system has its line, and its end is acknowledged once the
 * system has that as well: a killed process loses nothing. The database gets rows in batches, a
 * quarter of a second later; while it takes none, the file is synced to the disk instead. To wait
 * for the disk with each file would take longer than to move a small one; so a machine that loses
 * its power loses what ended within that quarter of a second. What a killed process has left is
 * stored at the next start; of what had no end by then nobody knows that it went well, so it counts
 * as failed.
 */
export class FileLogJournal {
  readonly #file: AppendFile
  readonly #options: JournalOptions
  readonly #open = new Map<string, OpenRow>()
  #storing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  private constructor(file: AppendFile, options: JournalOptions) {
    this.#file = file
    this.#options = options
  }

  /** Takes over what an earlier process has left in the folder. */
  static async open(folder: string, options: JournalOptions): Promise<FileLogJournal> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const { file, lines } = await AppendFile.open(join(folder, 'file-log.journal'))
    const journal = new FileLogJournal(file, options)
    for (const row of rowsOf(lines)) journal.#open.set(row.id, { row, isOver: true })
    if (journal.#open.size) journal.#storeIn(0)
    return journal
  }

  /** Writes down what is about to happen. Throws JournalError when it can't: then it must not. */
  async begin(operation: FileOperation): Promise<JournalEntry> {
    if (this.#open.size >= MAX_OPEN) throw new JournalError('too many rows wait for the database')
    const row: FileLogRow = { ...operation, is_success: false, id: timeOrderedId(), date_start: new Date() }
    const entry: OpenRow = { row, isOver: false }
    // Before it is written: a file that is written anew in between must have it.
    this.#open.set(row.id, entry)
    try {
      await this.#append({ begun: row })
    } catch (error) {
      this.#open.delete(row.id)
      throw new JournalError('the journal of files cannot be written', { cause: error })
    }
    return {
      expect: (isSuccess) => void this.#writeEnd(entry, isSuccess),
      end: (isSuccess) => this.#end(entry, isSuccess),
      drop: () => this.#drop(row.id),
    }
  }

  async #end(entry: OpenRow, isSuccess: boolean): Promise<void> {
    if (entry.isOver) return
    const written = entry.ended?.isSuccess === isSuccess ? entry.ended.written : this.#writeEnd(entry, isSuccess)
    entry.isOver = true
    this.#storeIn(STORE_MS)
    try {
      await written
    } catch (error) {
      this.#options.log.error({ err: error, row: entry.row }, 'the journal of files cannot be written')
      // The row is in memory, and may reach the database at least.
      await this.stored()
    }
  }

  #writeEnd(entry: OpenRow, isSuccess: boolean): Promise<void> {
    const date_start = new Date()
    entry.row = { ...entry.row, is_success: isSuccess, date_start }
    const written = this.#append({ ended: entry.row.id, is_success: isSuccess, date_start })
    // Told to whoever ends it.
    written.catch(() => {})
    entry.ended = { isSuccess, written }
    return written
  }

  #drop(id: string): void {
    if (this.#open.delete(id)) this.#append({ dropped: id }).catch(() => {})
  }

  #append(line: Line): Promise<void> {
    return this.#file.append(JSON.stringify(line))
  }

  /** Settles when the database has all that is over by now, or has refused it. */
  async stored(): Promise<void> {
    // What is being stored may not have the latest.
    await this.#storing?.catch(() => {})
    await this.#store().catch(() => {})
  }

  /** Stores what is over; what the database does not take stays for the next start. */
  async close(): Promise<void> {
    await this.#storing?.catch(() => {})
    await withRetries(() => this.#store()).catch(() => {})
    clearTimeout(this.#timer)
    await this.#file.close()
  }

  #storeIn(milliseconds: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#store().catch(() => {})
    }, milliseconds)
  }

  /** Throws what the database throws, and tries again later by itself. */
  #store(): Promise<void> {
    this.#storing ??= this.#storeOver().finally(() => {
      this.#storing = undefined
    })
    return this.#storing
  }

  async #storeOver(): Promise<void> {
    const over = [...this.#open.values()].flatMap(({ row, isOver }) => (isOver ? [row] : []))
    try {
      for (let at = 0; at < over.length; at += ROWS_AT_ONCE) {
        const some = over.slice(at, at + ROWS_AT_ONCE)
        await this.#options.store(some)
        for (const { id } of some) this.#open.delete(id)
      }
    } catch (error) {
      this.#options.log.error({ err: error, rows: over.length }, 'operations on files could not be stored')
      this.#file.sync().catch(() => {})
      this.#storeIn(STORE_AGAIN_MS)
      throw error
    }
    if (this.#file.length && (!this.#open.size || this.#file.length > MAX_BYTES))
      await this.#file.rewrite(() => [...this.#open.values()].map(lineOf)).catch(() => {})
  }
}

/** As of one whose end, if there was one, is still to be written. */
function lineOf({ row }: OpenRow): string {
  return JSON.stringify({ begun: row } satisfies Line)
}

/** Undefined for a line that a broken disk has left. */
function lineFrom(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line
  } catch {
    return undefined
  }
}

/** What earlier lines leave to be stored. */
function rowsOf(lines: readonly string[]): Iterable<FileLogRow> {
  const rows = new Map<string, FileLogRow>()
  for (const text of lines) {
    const line = lineFrom(text)
    if (!line) continue
    if ('begun' in line) rows.set(line.begun.id, { ...line.begun, date_start: new Date(line.begun.date_start) })
    else if ('dropped' in line) rows.delete(line.dropped)
    else {
      const row = rows.get(line.ended)
      if (row) Object.assign(row, { is_success: line.is_success, date_start: new Date(line.date_start) })
    }
  }
  return rows.values()
}

let lastMoment = 0
let count = 0

/**
 * A UUID of version 7 that sorts after all earlier ones of this process (RFC 9562 §6.2, method 1):
 * rows of the same millisecond keep their order.
 */
function timeOrderedId(): string {
  const now = Math.max(Date.now(), lastMoment)
  count = now === lastMoment ? count + 1 : 0
  lastMoment = count > 0xfff ? now + 1 : now
  if (count > 0xfff) count = 0
  const bytes = randomBytes(16)
  bytes.writeUIntBE(lastMoment, 0, 6)
  bytes.writeUInt16BE(0x7000 | count, 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
