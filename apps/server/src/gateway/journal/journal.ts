import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { awaitedLater, inBackground } from '../../kernel/background.ts'
import { inTime } from '../../kernel/in-time.ts'
import { withRetries } from '../../kernel/with-retries.ts'
import { AppendFile } from './append-file.ts'
import { AsideFiles } from './aside-files.ts'
import { furtherJson, type JournalRow, type Line, rowsOf, type Shared, sharedBy } from './lines.ts'
import { type GatheredEntry, type JournalEntry, JournalError, type Keeper, OpenRow } from './open-row.ts'
import { timeOrderedId } from './time-ordered-id.ts'
import { WaitingRows } from './waiting-rows.ts'

export { type GatheredEntry, type JournalEntry, JournalError, type JournalRow, type Shared, sharedBy }

/** Rows reach the database together, after this at the latest. */
const STORE_MS = 250
/** After a failure of the database. */
const STORE_AGAIN_MS = 5_000
/** With so many rows in memory, nothing new begins. */
const MAX_ROWS = 10_000
/** So long may something wait to begin while the database takes rows. */
const ADMISSION_MS = 15_000
/** Nobody waits longer for a flood to be stored when the process ends. */
const CLOSE_MS = 15_000
/** Ends that nobody waits for are written together: so many of them, or after this at the latest. */
const ENDS_AT_ONCE = 64
const ENDS_MS = 50
/** A file that has so many bytes more than are needed is rewritten. */
const MAX_SURPLUS = 8 * 1024 * 1024

export interface JournalOptions<Content> {
  /** Path of the file; its folder is made. */
  path: string
  /** Stores rows; those that are there already are left as they are. */
  store(rows: readonly JournalRow<Content>[]): Promise<void>
  /** Bytes of rows that may wait for the database in files; by default a gigabyte. */
  maxAside?: number
  log: Pick<FastifyBaseLogger, 'error'>
}

/**
 * Work through this node, on its way to a log in the database, in a file that is written ahead.
 * Something begins once the system has its line, and its end is acknowledged once the system has
 * that as well: a killed process loses nothing, but for ends that nobody waits for (`endSoon`): how
 * they ended is missing for a twentieth of a second. The database gets rows in batches, a quarter
 * of a second later; while it takes none, the file is synced to the disk instead. To wait for the
 * disk with each row would take longer than to move a small file; so a machine that loses its power
 * loses ends within that quarter of a second. Rows that come faster than the database takes them
 * leave the memory for files of their own (`AsideFiles`), which are on the disk itself. Rows that a
 * killed process has left are stored at the next start: those without an end by then as they began.
 */
export class Journal<Content extends object> {
  readonly #file: AppendFile
  readonly #options: JournalOptions<Content>
  readonly #open = new Set<OpenRow<Content>>()
  /** Those of the open rows that only wait for the database. */
  readonly #over: WaitingRows<Content>
  /** Begun together, and not written. */
  #gathered: OpenRow<Content>[] = []
  /** Over, and neither written nor among those that wait for the database. */
  #ended: { one: OpenRow<Content>; change: () => Partial<Content> }[] = []
  #endTimer: NodeJS.Timeout | undefined
  readonly #keeper: Keeper<Content> = {
    end: (one, change) => this.#end(one, change),
    endSoon: (one, change) => this.#endSoon(one, change),
    drop: (one) => this.#drop(one),
  }
  #storing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  /** Work that waits to begin, one after the other. */
  #admission: Promise<void> = Promise.resolve()
  #waiting = 0
  /** Somebody waits until something is over. */
  #awaited: PromiseWithResolvers<void> | undefined
  /** Length of the file when it was rewritten. */
  #neededLength = 0

  private constructor(file: AppendFile, aside: AsideFiles<Content>, options: JournalOptions<Content>) {
    this.#file = file
    this.#over = new WaitingRows(aside, {
      ...options,
      left: (some) => {
        for (const one of some) this.#open.delete(one)
      },
      refused: (one) => this.#refused(one),
    })
    this.#options = options
  }

  /** Takes over what an earlier process has left in the file. */
  static async open<Content extends object>(options: JournalOptions<Content>): Promise<Journal<Content>> {
    await mkdir(dirname(options.path), { recursive: true, mode: 0o700 })
    const { file, lines } = await AppendFile.open(options.path)
    const journal = new Journal<Content>(file, await AsideFiles.open(options.path), options)
    for (const row of rowsOf<Content>(lines)) {
      const open = new OpenRow(row, journal.#keeper)
      open.isOver = true
      journal.#open.add(open)
      journal.#over.add(open)
    }
    if (!journal.#over.isEmpty) journal.#storeIn(0)
    return journal
  }

  /**
   * Writes down what is about to happen. With too many rows that the database does not have it is
   * held back as long as that takes rows. Throws JournalError when it can't be written down: then it
   * must not happen.
   */
  async begin(content: Content): Promise<JournalEntry<Content>> {
    if (this.#isFull) await this.#admitted()
    const one = this.#gather(content)
    this.write()
    if (one.failure) throw one.failure
    return one
  }

  /**
   * The same at once, written by `write` together with all that has begun so; undefined where it would be held back,
   * which only `begin` waits for. `own`: the row but for what it shares with others, all of whose columns are there.
   */
  beginTogether(own: Partial<Content>, shared: Shared<Content>): GatheredEntry<Content> | undefined {
    if (this.#isFull) return undefined
    const one = this.#gather({ ...shared.columns, ...own } as Content)
    one.unwritten = { shared, own }
    return one
  }

  /** Writes down what has begun together, each of which says whether that failed. */
  write(): void {
    const gathered = this.#gathered
    if (!gathered.length) return
    this.#gathered = []
    try {
      this.#file.appendAll(gathered.map(firstLine))
    } catch (error) {
      for (const one of gathered) {
        one.failure = new JournalError('the journal cannot be written', { cause: error })
        this.#open.delete(one)
      }
    }
  }

  get #isFull(): boolean {
    return this.#waiting > 0 || this.#open.size >= MAX_ROWS
  }

  /** The content becomes the row. */
  #gather(content: Content): OpenRow<Content> {
    const one = new OpenRow(Object.assign(content, { id: timeOrderedId() }), this.#keeper)
    // Before it is written: a file that is rewritten in between must have it.
    this.#open.add(one)
    this.#gathered.push(one)
    return one
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
    // An admitted entry takes its place before the next one looks.
    this.#admission = admitted.catch(() => {})
    return admitted
  }

  /** While the database takes nothing, its next try is the timer's. */
  async #makeRoom(deadline: number): Promise<void> {
    this.#writeEnds()
    if (await this.#over.setAside()) return
    if (this.#over.isFailing || performance.now() > deadline)
      throw new JournalError('too many rows wait for the database')
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

  async #end(one: OpenRow<Content>, change: Partial<Content>): Promise<void> {
    if (one.isOver || one.failure) return
    one.isOver = true
    this.#isOver(one, change)
    try {
      this.#append({ ended: one.row.id, ...change })
    } catch (error) {
      this.#options.log.error({ err: error, row: one.row.id }, 'the journal cannot be written')
      // The row is in memory, and may reach the database at least.
      await this.stored().catch(() => {})
    }
  }

  #endSoon(one: OpenRow<Content>, change: () => Partial<Content>): void {
    if (one.isOver || one.failure) return
    one.isOver = true
    if (this.#ended.push({ one, change }) >= ENDS_AT_ONCE) this.#writeEnds()
    else
      this.#endTimer ??= setTimeout(() => {
        this.#endTimer = undefined
        this.#writeEnds()
      }, ENDS_MS)
  }

  #writeEnds(): void {
    if (!this.#ended.length) return
    // An entry that is over may have begun a moment ago.
    this.write()
    const ended = this.#ended.filter(({ one }) => !one.failure)
    this.#ended = []
    const lines = ended.map(({ one, change: changeOf }) => {
      const change = changeOf()
      this.#isOver(one, change)
      return lineOf<Content>({ ended: one.row.id, ...change })
    })
    try {
      this.#file.appendAll(lines)
    } catch (error) {
      this.#options.log.error({ err: error, rows: lines.length }, 'the journal cannot be written')
    }
  }

  #isOver(one: OpenRow<Content>, change: Partial<Content>): void {
    Object.assign(one.row, change)
    this.#over.add(one)
    this.#awaited?.resolve()
    this.#storeIn(STORE_MS)
    if (this.#over.isFlooded) inBackground(this.#setAside())
  }

  async #setAside(): Promise<void> {
    if (await this.#over.setAside()) await this.#shorten().catch(() => {})
  }

  /** It stays in the file, for the next start. */
  #refused(one: OpenRow<Content>): void {
    if (this.#open.has(one)) return
    this.#open.add(one)
    this.#file.append(begunLine(one))
  }

  #drop(one: OpenRow<Content>): void {
    if (one.isOver || !this.#open.delete(one)) return
    try {
      this.#append({ dropped: one.row.id })
    } catch {
      // Then a killed process leaves a row of what did not come about, rather than none.
    }
    this.#awaited?.resolve()
    this.#storeIn(STORE_MS)
  }

  #append(line: Line<Content>): void {
    this.#file.append(lineOf(line))
  }

  /** Settles when the database has all that is over by now. Throws what it throws. */
  async stored(): Promise<void> {
    // Rows that are being stored may not have the latest.
    await this.#storing?.catch(() => {})
    await this.#store()
  }

  /** Stores what is over; what the database does not take, or not in time, stays for the next start. */
  async close(): Promise<void> {
    const stored = withRetries(() => this.stored())
    await inTime(stored, CLOSE_MS, () => new JournalError('the database takes long')).catch(() => {})
    this.#over.stop()
    await stored.catch(() => {})
    clearTimeout(this.#timer)
    clearTimeout(this.#endTimer)
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
    this.#storing ??= awaitedLater(
      this.#storeOver().finally(() => {
        this.#storing = undefined
        // Entries that ended meanwhile may have had their turn while these were stored.
        if (!this.#over.isEmpty) this.#storeIn(STORE_MS)
      }),
    )
    return this.#storing
  }

  async #storeOver(): Promise<void> {
    this.#writeEnds()
    const sync = () => void this.#file.sync().catch(() => {})
    try {
      await this.#over.store(sync)
    } catch (error) {
      sync()
      this.#storeIn(STORE_AGAIN_MS)
      throw error
    } finally {
      await this.#shorten().catch(() => {})
    }
  }

  /** Leaves what is still needed of the file, once that is worth the work. */
  async #shorten(): Promise<void> {
    if (!this.#file.length || (this.#open.size && this.#file.length - this.#neededLength < MAX_SURPLUS)) return
    await this.#file.rewrite(() => [...this.#open].map(begunLine))
    this.#neededLength = this.#file.length
  }
}

const lineOf = <Content>(line: Line<Content>): string => JSON.stringify(line)

/** The JSON of what is shared is there already. */
function firstLine<Content extends object>(one: OpenRow<Content>): string {
  const { unwritten } = one
  if (!unwritten) return begunLine(one)
  one.unwritten = undefined
  return `{"begun":{"id":"${one.row.id}"${unwritten.shared.json}${furtherJson(unwritten.own)}}}`
}

/** As of one whose end, if there was one, is still to be written. */
const begunLine = <Content extends object>({ row }: OpenRow<Content>): string => lineOf<Content>({ begun: row })
