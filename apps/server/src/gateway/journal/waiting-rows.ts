import type { FastifyBaseLogger } from 'fastify'
import { awaitedLater } from '../../kernel/background.ts'
import type { AsideFiles } from './aside-files.ts'
import type { JournalRow } from './lines.ts'
import { OpenRow } from './open-row.ts'

const ROWS_AT_ONCE = 500
/** With more rows in memory, some of them wait for the database in files, so many in one. */
const MAX_KEPT = 2_000
const ASIDE_AT_ONCE = 1_000
/** In files, in bytes: then all rows wait in memory. */
const MAX_ASIDE = 1024 * 1024 * 1024

export interface WaitingOptions<Content extends object> {
  /** Stores rows; those that are there already are left as they are. */
  store(rows: readonly JournalRow<Content>[]): Promise<void>
  /** Bytes of rows that may wait in files; by default a gigabyte. */
  maxAside?: number | undefined
  log: Pick<FastifyBaseLogger, 'error'>
  /** These are in the database, or in a file of their own. */
  left(some: readonly OpenRow<Content>[]): void
  /** The database will never take this one. */
  refused(one: OpenRow<Content>): void
}

/**
 * Rows that are over and wait for the database: some in memory, a flood in files. Those in memory come first, so that
 * nobody's rows wait behind the flood of another.
 */
export class WaitingRows<Content extends object> {
  readonly #options: WaitingOptions<Content>
  readonly #aside: AsideFiles<Content>
  readonly #kept = new Set<OpenRow<Content>>()
  /** Rows that the database is given now. */
  #inHand: ReadonlySet<OpenRow<Content>> = new Set()
  /** Rows that are written into a file now. */
  #leaving: ReadonlySet<OpenRow<Content>> = new Set()
  #settingAside: Promise<void> | undefined
  /** The database has not taken the last rows. */
  isFailing = false
  #isStopped = false

  constructor(aside: AsideFiles<Content>, options: WaitingOptions<Content>) {
    this.#aside = aside
    this.#options = options
  }

  /** Those in memory. */
  get size(): number {
    return this.#kept.size
  }

  get isEmpty(): boolean {
    return !this.#kept.size && !this.#aside.count
  }

  get isFlooded(): boolean {
    return this.#kept.size > MAX_KEPT
  }

  add(one: OpenRow<Content>): void {
    this.#kept.add(one)
  }

  /** Has a flood wait in files instead of in memory; false where there is none, or no file takes it. */
  async setAside(): Promise<boolean> {
    if (!this.#settingAside) {
      if (this.#isAsideFull || !this.isFlooded) return false
      this.#settingAside = awaitedLater(
        this.#setSomeAside().finally(() => {
          this.#settingAside = undefined
        }),
      )
    }
    return this.#settingAside.then(
      () => true,
      (error) => {
        this.#options.log.error({ err: error }, 'rows of the journal cannot wait in files')
        return false
      },
    )
  }

  get #isAsideFull(): boolean {
    return this.#aside.bytes >= (this.#options.maxAside ?? MAX_ASIDE)
  }

  async #setSomeAside(): Promise<void> {
    while (this.isFlooded && !this.#isAsideFull) {
      const some = take(this.#kept, ASIDE_AT_ONCE, this.#inHand)
      if (!some.length) return
      this.#leaving = new Set(some)
      try {
        await this.#aside.add(some.map(({ row }) => row))
        for (const one of some) this.#kept.delete(one)
        this.#options.left(some)
      } finally {
        this.#leaving = new Set()
      }
    }
  }

  /** What waits in files is left to the next start. */
  stop(): void {
    this.#isStopped = true
  }

  /**
   * Stores all that waits by now. Throws what the database throws.
   * @param onFile is called before each file: a flood takes a while
   */
  async store(onFile: () => void): Promise<void> {
    try {
      await this.#storeKept(this.#kept.size)
      // Rows that waited and are not stored by now are in one of these.
      await this.#settingAside?.catch(() => {})
      for (let files = this.#aside.count; files > 0 && !this.#isStopped; files--) {
        onFile()
        await this.#storeAside()
        await this.#storeKept(ROWS_AT_ONCE)
      }
    } catch (error) {
      this.isFailing = true
      this.#options.log.error({ err: error, rows: this.#kept.size }, 'rows of the journal could not be stored')
      throw error
    }
  }

  /** Stores the oldest of those in memory, so many or fewer. */
  async #storeKept(count: number): Promise<void> {
    for (let left = count; left > 0; ) {
      const some = take(this.#kept, Math.min(left, ROWS_AT_ONCE), this.#leaving)
      if (!some.length) return
      left -= some.length
      this.#inHand = new Set(some)
      try {
        await this.#storeRows(some)
        for (const one of some) this.#kept.delete(one)
      } finally {
        this.#inHand = new Set()
      }
    }
    this.isFailing = false
  }

  async #storeAside(): Promise<void> {
    const rows = await this.#aside.oldest()
    const nobody = { end: async () => {}, endSoon: () => {}, drop: () => {} }
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
      await this.#storeRows(rows.slice(at, at + ROWS_AT_ONCE).map((row) => new OpenRow(row, nobody)))
    await this.#aside.removeOldest()
  }

  /** A row that the database will never take keeps no other back. */
  async #storeRows(some: readonly OpenRow<Content>[]): Promise<void> {
    try {
      await this.#options.store(some.map(({ row }) => row))
      this.#options.left(some)
    } catch (error) {
      const [one] = some
      if (!isAboutData(error) || !one) throw error
      const half = Math.ceil(some.length / 2)
      if (half < some.length) {
        await this.#storeRows(some.slice(0, half))
        await this.#storeRows(some.slice(half))
      } else {
        this.#options.log.error({ err: error, row: one.row.id }, 'the database refuses a row of the journal')
        this.#options.refused(one)
      }
    }
  }
}

/** The first of them, but for some. */
function take<T>(all: ReadonlySet<T>, count: number, but: ReadonlySet<T>): T[] {
  const taken: T[] = []
  for (const one of all) {
    if (taken.length >= count) break
    if (!but.has(one)) taken.push(one)
  }
  return taken
}

/** PostgreSQL's classes of errors that the same row would meet again: its data, and constraints. */
function isAboutData(error: unknown): boolean {
  const { code } = (error instanceof Error && error.cause ? error.cause : error) as { code?: unknown }
  return typeof code === 'string' && /^2[23]/.test(code) && code.length === 5
}
