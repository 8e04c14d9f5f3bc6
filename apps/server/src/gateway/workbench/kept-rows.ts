import type { ShownValue } from '@sallyport/contract/socket/workbench.ts'
import { KeptFile, type KeptPlace, type KeptSpace } from './kept-file.ts'
import { PAGE_CHARACTERS, PAGE_ROWS } from './result-pages.ts'

type ShownRow = ShownValue[]

/** A result of the run whose rows are kept. */
export interface KeptResult {
  statement: number
  result: number
}

/** Rows that follow each other, the first of which has that number, from 0. */
export interface RowsAgain {
  from: number
  rows: ShownRow[]
}

/** The page of rows that begins at one, or ends before it. */
export type RowsWanted = { from: number; to?: undefined } | { from?: undefined; to: number }

interface KeptRowsParts {
  directory: string
  /** Bytes on the disk at most. 0: nothing is kept. */
  limit: number
  space: KeptSpace
}

interface Block {
  of: string
  from: number
  count: number
  place: KeptPlace
  /** As long as it is on its way to the disk. */
  text?: string | undefined
}

/** So much goes to the disk at a time. */
const BLOCK_CHARACTERS = 64 * 1024
/** With so much on its way to a disk that takes nothing, what is kept is given up. */
const WAITING_CHARACTERS = 32 * 1024 * 1024
/** Changed values that are remembered, in characters. */
const CHANGED_CHARACTERS = 1024 * 1024

/**
 * The rows that a page has shown of its newest run, so that it can go back to those that it has let
 * go: the newest of very many. Results that a page surely holds whole do not reach the disk.
 */
export class KeptRows {
  readonly #parts: KeptRowsParts
  #run = 0
  #file: KeptFile | undefined
  #blocks: Block[] = []
  /** The rows of the result that comes, which are in no block yet. */
  #newest: { of: string; from: number; rows: string[]; characters: number } | undefined
  #changes: { of: string; at: number; column: number; value: string | null }[] = []
  #waiting = 0
  #turn: Promise<unknown> = Promise.resolve()
  #isOver = false

  constructor(parts: KeptRowsParts) {
    this.#parts = parts
  }

  get isOn(): boolean {
    return this.#parts.limit > 0
  }

  /** The kept rows of the run before are on no screen any more. */
  begin(run: number): void {
    this.#run = run
    this.#forget()
  }

  /** The next rows of a result. */
  add(result: KeptResult, rows: readonly ShownRow[]): void {
    if (!this.isOn || this.#isOver) return
    const of = nameOf(result)
    if (this.#newest?.of !== of) {
      // A page lets go of nothing as long as so little is all of it.
      if (this.#newest && this.#blocks.at(-1)?.of === this.#newest.of) this.#store()
      this.#newest = { of, from: 0, rows: [], characters: 0 }
    }
    for (const row of rows) {
      const text = JSON.stringify(row)
      this.#newest.rows.push(text)
      this.#newest.characters += text.length
    }
    if (this.#newest.characters >= BLOCK_CHARACTERS) this.#store()
  }

  /** A value is another one now. */
  change({ statement, result, at, column, value }: KeptResult & { at: number; column: number; value: string | null }) {
    this.#changes.push({ of: nameOf({ statement, result }), at, column, value })
    let characters = 0
    const first = this.#changes.findLastIndex(({ value }) => {
      characters += (value?.length ?? 0) + 1
      return characters > CHANGED_CHARACTERS
    })
    // Rows that are shown again as they were before can not be changed from there: a changed row is
    // reported.
    this.#changes = this.#changes.slice(first + 1)
  }

  /** How many rows of a result have been shown. */
  count(result: KeptResult): number {
    const of = nameOf(result)
    if (this.#newest?.of === of) return this.#newest.from + this.#newest.rows.length
    const last = this.#blocks.findLast((block) => block.of === of)
    return last ? last.from + last.count : 0
  }

  /** The first row of a result that is available; undefined where there is none. */
  first(result: KeptResult): number | undefined {
    const of = nameOf(result)
    return (
      this.#blocks.find((block) => block.of === of)?.from ?? (this.#newest?.of === of ? this.#newest.from : undefined)
    )
  }

  /** A page of rows, or as much of it as lies together; undefined where they are not kept. */
  read(run: number, result: KeptResult, wanted: RowsWanted): Promise<RowsAgain | undefined> {
    const answer = this.#turn.then(async () => {
      const of = nameOf(result)
      const at = wanted.to === undefined ? wanted.from : wanted.to - 1
      const file = this.#file
      const found = run === this.#run ? await this.#rowsAround(of, at) : undefined
      // A disk that fails: what is in the file can not be had any more.
      if (found === 'failed' && file === this.#file) this.#giveUp()
      return found && found !== 'failed' && run === this.#run ? this.#page(found, of, wanted) : undefined
    })
    this.#turn = answer.catch(() => {})
    return answer
  }

  /** The session is over. */
  close(): void {
    this.#isOver = true
    this.#forget()
  }

  async #rowsAround(of: string, at: number): Promise<RowsAgain | 'failed' | undefined> {
    if (this.#newest?.of === of && at >= this.#newest.from) {
      const { from, rows } = this.#newest
      return at < from + rows.length ? { from, rows: JSON.parse(`[${rows.join()}]`) } : undefined
    }
    const block = this.#blocks.find((one) => one.of === of && at >= one.from && at < one.from + one.count)
    if (!block) return undefined
    const text = block.text ?? (await this.#file?.read(block.place).catch(() => undefined))
    return text === undefined ? 'failed' : { from: block.from, rows: JSON.parse(text) }
  }

  #page({ from, rows }: RowsAgain, of: string, wanted: RowsWanted): RowsAgain {
    const isUpward = wanted.to !== undefined
    const ordered = isUpward ? rows.slice(0, wanted.to - from).reverse() : rows.slice(wanted.from - from)
    let characters = 0
    const behind = ordered.findIndex((row, index) => {
      const isFull = index >= PAGE_ROWS || characters >= PAGE_CHARACTERS
      for (const value of row)
        characters += value === null ? 0 : typeof value === 'string' ? value.length : value[0].length
      return isFull
    })
    const taken = behind < 0 ? ordered : ordered.slice(0, behind)
    const first = isUpward ? wanted.to - taken.length : wanted.from
    const shown = isUpward ? taken.reverse() : taken
    for (const { of: changed, at, column, value } of this.#changes) {
      const row = changed === of ? shown[at - first] : undefined
      if (row) row[column] = value
    }
    return { from: first, rows: shown }
  }

  /** Waiting rows become a block, which goes to the disk. */
  #store(): void {
    if (!this.#newest?.rows.length) return
    const { of, from, rows } = this.#newest
    this.#newest = { of, from: from + rows.length, rows: [], characters: 0 }
    this.#file ??= new KeptFile(this.#parts)
    const file = this.#file
    const text = `[${rows.join()}]`
    const placed = this.#waiting > WAITING_CHARACTERS ? undefined : file.place(text)
    if (!placed) {
      this.#giveUp()
      return
    }
    this.#blocks = this.#blocks.filter(({ place }) => !placed.isGone(place))
    const block: Block = { of, from, count: rows.length, place: placed.place, text }
    this.#blocks.push(block)
    this.#waiting += text.length
    this.#turn = this.#turn
      .then(() => (file === this.#file ? file.write(placed.bytes, placed.place) : undefined))
      // A full disk: the way back is gone, and the rows to come go on.
      .catch(() => file === this.#file && this.#giveUp())
      .finally(() => {
        this.#waiting -= text.length
        block.text = undefined
      })
  }

  /** No earlier rows are available any more; later ones are kept again. */
  #giveUp(): void {
    this.#blocks = []
    this.#closeFile()
  }

  #forget(): void {
    this.#newest = undefined
    this.#changes = []
    this.#giveUp()
  }

  /** Behind what is under way in it. */
  #closeFile(): void {
    const file = this.#file
    this.#file = undefined
    if (file) this.#turn = this.#turn.then(() => file.close()).catch(() => {})
  }
}

const nameOf = ({ statement, result }: KeptResult) => `${statement} ${result}`
