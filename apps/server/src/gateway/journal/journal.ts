import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { withRetries } from '../retry.ts'
import { AppendFile } from './append-file.ts'
import { timeOrderedId } from './time-ordered-id.ts'

/** Rows reach the database together, after this at the latest. */
const STORE_MS = 250
/** After a failure of the database. */
const STORE_AGAIN_MS = 5_000
const ROWS_AT_ONCE = 500
/** With so many rows that the database does not have, nothing new begins. */
const MAX_ROWS = 10_000
/** So long may something wait to begin while the database takes rows. */
const ADMISSION_MS = 15_000
/** A file that has so much more than is needed of it is written anew. */
const MAX_SURPLUS = 8 * 1024 * 1024

/** What is written down, as JSON has it; the id makes that storing a row twice makes no second one. */
export type JournalRow<Content> = Content & { id: string }

type Line<Content> = { begun: JournalRow<Content> } | ({ ended: string } & Partial<Content>) | { dropped: string }

/** Nothing can be written down: then nothing may happen either. */
export class JournalError extends Error {}

export interface JournalOptions<Content> {
  /** Of the file; its folder is made. */
  path: string
  /** Stores rows; those that are there already are left as they are. */
  store(rows: readonly JournalRow<Content>[]): Promise<void>
  log: Pick<FastifyBaseLogger, 'error'>
}

/** Something that was written down before it began. */
export interface JournalEntry<Content> {
  /**
   * It is over, and this is how its row differs. Settles once the end of this process can't lose
   * that; never throws.
   */
  end(change?: Partial<Content>): Promise<void>
  /** It did not come about, and leaves no row. */
  drop(): void
}

/** What the database does not have yet. */
interface OpenRow<Content> {
  row: JournalRow<Content>
  isOver: boolean
}

/**
 * What is done through this node, on its way to a log in the database, in a file that is written
 * ahead. Something begins once the system has its line, and its end is acknowledged once the system
 * has that as well: a killed process loses nothing. The database gets rows in batches, a quarter of
 * a second later; while it takes none, the file is synced to the disk instead. To wait for the disk
 * with each row would take longer than to move a small file; so a machine that loses its power loses
 * what ended within that quarter of a second. What a killed process has left is stored at the next
 * start: what had no end by then as it began.
 */
export class Journal<Content extends object> {
  readonly #file: AppendFile
  readonly #options: JournalOptions<Content>
  readonly #open = new Map<string, OpenRow<Content>>()
  /** Those of the open rows that only wait for the database. */
  readonly #over = new Set<OpenRow<Content>>()
  #storing: Promise<void> | undefined
  /** The database has not taken the last rows. */
  #isFailing = false
  #timer: NodeJS.Timeout | undefined
  /** What waits to begin, one after the other. */
  #admission: Promise<void> = Promise.resolve()
  #waiting = 0
  /** Somebody waits until something is over. */
  #awaited: PromiseWithResolvers<void> | undefined
  /** Of the file when it was written anew. */
  #neededLength = 0

  private constructor(file: AppendFile, options: JournalOptions<Content>) {
    this.#file = file
    this.#options = options
  }

  /** Takes over what an earlier process has left in the file. */
  static async open<Content extends object>(options: JournalOptions<Content>): Promise<Journal<Content>> {
    await mkdir(dirname(options.path), { recursive: true, mode: 0o700 })
    const { file, lines } = await AppendFile.open(options.path)
    const journal = new Journal<Content>(file, options)
    for (const row of rowsOf<Content>(lines)) {
      const open = { row, isOver: true }
      journal.#open.set(row.id, open)
      journal.#over.add(open)
    }
    if (journal.#over.size) journal.#storeIn(0)
    return journal
  }

  /**
   * Writes down what is about to happen. With too many rows that the database does not have it is
   * held back as long as that takes rows. Throws JournalError when it can't be written down: then it
   * must not happen.
   */
  async begin(content: Content): Promise<JournalEntry<Content>> {
    if (this.#waiting || this.#open.size >= MAX_ROWS) await this.#admitted()
    const row = { ...content, id: timeOrderedId() }
    const entry: OpenRow<Content> = { row, isOver: false }
    // Before it is written: a file that is written anew in between must have it.
    this.#open.set(row.id, entry)
    try {
      this.#append({ begun: row })
    } catch (error) {
      this.#open.delete(row.id)
      throw new JournalError('the journal cannot be written', { cause: error })
    }
    return {
      end: (change = {}) => this.#end(entry, change),
      drop: () => this.#drop(entry),
    }
  }

  #admitted(): Promise<void> {
    this.#waiting++
    const deadline = performance.now() + ADMISSION_MS
    const admitted = this.#admission.then(async () => {
      try {
        while (this.#open.size >= MAX_ROWS) await this.#makeRoom(deadline)
      } finally {
        this.#waiting--
      }
    })
    // Whoever is let in takes its place before the next one looks.
    this.#admission = admitted.catch(() => {})
    return admitted
  }

  /** While the database takes nothing, its next try is the timer's. */
  async #makeRoom(deadline: number): Promise<void> {
    if (this.#isFailing || performance.now() > deadline) throw new JournalError('too many rows wait for the database')
    if (this.#over.size) await this.#store().catch(() => {})
    else await this.#somethingOver()
  }

  /** Or a second has passed. */
  async #somethingOver(): Promise<void> {
    this.#awaited = Promise.withResolvers()
    const timer = setTimeout(this.#awaited.resolve, 1000)
    await this.#awaited.promise
    clearTimeout(timer)
  }

  async #end(entry: OpenRow<Content>, change: Partial<Content>): Promise<void> {
    if (entry.isOver) return
    Object.assign(entry.row, change)
    entry.isOver = true
    this.#over.add(entry)
    this.#awaited?.resolve()
    this.#storeIn(STORE_MS)
    try {
      this.#append({ ended: entry.row.id, ...change })
    } catch (error) {
      this.#options.log.error({ err: error, row: entry.row.id }, 'the journal cannot be written')
      // The row is in memory, and may reach the database at least.
      await this.stored().catch(() => {})
    }
  }

  #drop({ row: { id }, isOver }: OpenRow<Content>): void {
    if (isOver || !this.#open.delete(id)) return
    try {
      this.#append({ dropped: id })
    } catch {
      // Then a killed process leaves a row of what did not come about, rather than none.
    }
    this.#awaited?.resolve()
    this.#storeIn(STORE_MS)
  }

  #append(line: Line<Content>): void {
    this.#file.append(JSON.stringify(line))
  }

  /** Settles when the database has all that is over by now. Throws what it throws. */
  async stored(): Promise<void> {
    // What is being stored may not have the latest.
    await this.#storing?.catch(() => {})
    await this.#store()
  }

  /** Stores what is over; what the database does not take stays for the next start. */
  async close(): Promise<void> {
    await withRetries(() => this.stored()).catch(() => {})
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
      // What was over meanwhile may have had its turn while these were stored.
      if (this.#over.size) this.#storeIn(STORE_MS)
    })
    return this.#storing
  }

  async #storeOver(): Promise<void> {
    const over = [...this.#over]
    try {
      for (let at = 0; at < over.length; at += ROWS_AT_ONCE) await this.#storeRows(over.slice(at, at + ROWS_AT_ONCE))
      this.#isFailing = false
    } catch (error) {
      this.#isFailing = true
      this.#options.log.error({ err: error, rows: this.#over.size }, 'rows of the journal could not be stored')
      this.#file.sync().catch(() => {})
      this.#storeIn(STORE_AGAIN_MS)
      throw error
    } finally {
      await this.#shorten().catch(() => {})
    }
  }

  /** A row that the database will never take stays in the file, and keeps no other back. */
  async #storeRows(some: readonly OpenRow<Content>[]): Promise<void> {
    try {
      await this.#options.store(some.map(({ row }) => row))
      for (const { row } of some) this.#open.delete(row.id)
    } catch (error) {
      if (!isAboutData(error)) throw error
      const half = Math.ceil(some.length / 2)
      if (half < some.length) {
        await this.#storeRows(some.slice(0, half))
        await this.#storeRows(some.slice(half))
      } else this.#options.log.error({ err: error, row: some[0]?.row.id }, 'the database refuses a row of the journal')
    }
    for (const one of some) this.#over.delete(one)
  }

  /** Leaves what is still needed of the file, once that is worth the work. */
  async #shorten(): Promise<void> {
    if (!this.#file.length || (this.#open.size && this.#file.length - this.#neededLength < MAX_SURPLUS)) return
    await this.#file.rewrite(() => [...this.#open.values()].map(lineOf))
    this.#neededLength = this.#file.length
  }
}

/** As of one whose end, if there was one, is still to be written. */
function lineOf<Content>({ row }: OpenRow<Content>): string {
  return JSON.stringify({ begun: row } satisfies Line<Content>)
}

/** Undefined for a line that a broken disk has left. */
function lineFrom<Content>(text: string): Line<Content> | undefined {
  try {
    return JSON.parse(text) as Line<Content>
  } catch {
    return undefined
  }
}

/** What earlier lines leave to be stored. */
function rowsOf<Content extends object>(lines: readonly string[]): Iterable<JournalRow<Content>> {
  const rows = new Map<string, JournalRow<Content>>()
  for (const text of lines) {
    const line = lineFrom<Content>(text)
    if (!line) continue
    if ('begun' in line) rows.set(line.begun.id, line.begun)
    else if ('dropped' in line) rows.delete(line.dropped)
    else {
      const { ended, ...change } = line
      const row = rows.get(ended)
      if (row) Object.assign(row, change)
    }
  }
  return rows.values()
}

/** PostgreSQL's classes of errors that the same row would meet again: its data, and constraints. */
function isAboutData(error: unknown): boolean {
  const { code } = (error instanceof Error && error.cause ? error.cause : error) as { code?: unknown }
  return typeof code === 'string' && /^2[23]/.test(code) && code.length === 5
}
