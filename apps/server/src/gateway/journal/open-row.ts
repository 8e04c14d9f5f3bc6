import type { JournalRow, Shared } from './lines.ts'

/** Nothing can be written down: then nothing may happen either. */
export class JournalError extends Error {}

/** Something that was written down before it began. */
export interface JournalEntry<Content> {
  /**
   * It is over, and this is how its row differs. Settles once the end of this process can't lose
   * that; never throws.
   */
  end(change?: Partial<Content>): Promise<void>
  /**
   * The same where nobody waits for it: the changes of its row are asked for within a moment, and
   * written together with other ends. If the process is killed before that, the row is as it began.
   */
  endSoon(change: () => Partial<Content>): void
  /** It did not come about, and leaves no row. */
  drop(): void
}

/** Begins with others: nothing of it may happen before `write`. */
export interface GatheredEntry<Content> extends JournalEntry<Content> {
  /** Why it could not be written down: then it must not happen. */
  readonly failure: JournalError | undefined
}

/** Callbacks of a row's journal. */
export interface Keeper<Content extends object> {
  end(one: OpenRow<Content>, change: Partial<Content>): Promise<void>
  endSoon(one: OpenRow<Content>, change: () => Partial<Content>): void
  drop(one: OpenRow<Content>): void
}

/** A row that the database does not have yet. */
export class OpenRow<Content extends object> implements GatheredEntry<Content> {
  readonly row: JournalRow<Content>
  isOver = false
  /** The row as it is written first, where others share a part of it; until that. */
  unwritten: { shared: Shared<Content>; own: Partial<Content> } | undefined
  failure: JournalError | undefined
  readonly #keeper: Keeper<Content>

  constructor(row: JournalRow<Content>, keeper: Keeper<Content>) {
    this.row = row
    this.#keeper = keeper
  }

  end(change: Partial<Content> = {}): Promise<void> {
    return this.#keeper.end(this, change)
  }

  endSoon(change: () => Partial<Content>): void {
    this.#keeper.endSoon(this, change)
  }

  drop(): void {
    this.#keeper.drop(this)
  }
}
