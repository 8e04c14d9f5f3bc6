import { cellWidth } from '../../kinds/terminal/cell-width.ts'

/** Longest statement that is taken, in UTF-16 units; servers take hardly more. */
export const MAX_TEXT = 4 * 1024 * 1024

const WORD = /[\p{L}\p{N}_]/u

/** A text of several rows that is being edited, with the cursor in one of them. */
export class EditBuffer {
  #rows: string[] = ['']
  #row = 0
  /** UTF-16 units before the cursor in its row. */
  #column = 0
  #length = 0
  #killed = ''
  /** The first row that is not as it was when this was set to the number of rows. */
  firstChanged = 0

  get rows(): readonly string[] {
    return this.#rows
  }
  get row(): number {
    return this.#row
  }
  get before(): string {
    return this.#current.slice(0, this.#column)
  }
  get after(): string {
    return this.#current.slice(this.#column)
  }
  get text(): string {
    return this.#rows.join('\n')
  }
  get isEmpty(): boolean {
    return this.#length === 0
  }
  get #current(): string {
    return this.#rows[this.#row] as string
  }

  /** Replaces everything, with the cursor at the end. */
  set(text: string): void {
    this.#rows = text.slice(0, MAX_TEXT).split('\n')
    this.#length = Math.min(text.length, MAX_TEXT)
    this.firstChanged = 0
    this.toEnd()
  }

  toEnd(): void {
    this.#row = this.#rows.length - 1
    this.#column = this.#current.length
  }

  /** False when it is full: nothing of it is taken then. */
  insert(text: string): boolean {
    if (this.#length + text.length > MAX_TEXT) return false
    const inserted = `${this.before}${text}`.split('\n')
    const rest = this.after
    const last = inserted.length - 1
    this.#change()
    this.#column = (inserted[last] as string).length
    inserted[last] += rest
    if (last === 0) this.#rows[this.#row] = inserted[0] as string
    else this.#rows = [...this.#rows.slice(0, this.#row), ...inserted, ...this.#rows.slice(this.#row + 1)]
    this.#row += last
    this.#length += text.length
    return true
  }

  left(): void {
    if (this.#column > 0) this.#column -= lastCharacter(this.before)
    else if (this.#row > 0) {
      this.#row--
      this.#column = this.#current.length
    }
  }
  right(): void {
    if (this.after) this.#column += firstCharacter(this.after)
    else if (this.#row < this.#rows.length - 1) {
      this.#row++
      this.#column = 0
    }
  }
  /** False at the first row, or the last. */
  up(): boolean {
    return this.#toRow(this.#row - 1)
  }
  down(): boolean {
    return this.#toRow(this.#row + 1)
  }
  home(): void {
    this.#column = 0
  }
  end(): void {
    this.#column = this.#current.length
  }
  wordLeft(): void {
    if (this.#column === 0) this.left()
    else this.#column -= wordAtEnd(this.before)
  }
  wordRight(): void {
    if (this.after) this.#column += wordAtStart(this.after)
    else this.right()
  }

  backspace(): void {
    if (this.#column > 0) this.#cut(lastCharacter(this.before), 0)
    else if (this.#row > 0) {
      this.left()
      this.#joinNext()
    }
  }
  delete(): void {
    if (this.after) this.#cut(0, firstCharacter(this.after))
    else this.#joinNext()
  }
  killToStart(): void {
    this.#kill(this.#column, 0)
  }
  killToEnd(): void {
    if (this.after) this.#kill(0, this.after.length)
    else this.#joinNext()
  }
  /** Back to a blank, as shells have it. */
  killWord(): void {
    const { before } = this
    const end = before.trimEnd().length
    let at = end
    while (at > 0 && /\S/.test(before[at - 1] as string)) at--
    this.#kill(before.length - at, 0)
  }
  killWordRight(): void {
    this.#kill(0, wordAtStart(this.after))
  }
  /** Inserts what was last deleted. */
  yank(): void {
    this.insert(this.#killed)
  }

  #toRow(row: number): boolean {
    if (row < 0 || row >= this.#rows.length) return false
    this.#row = row
    this.#column = Math.min(this.#column, this.#current.length)
    // Not within a character.
    while (this.#column > 0 && isInside(this.#current, this.#column)) this.#column--
    return true
  }

  #kill(before: number, after: number): void {
    if (before || after) this.#killed = this.#cut(before, after)
  }

  #cut(before: number, after: number): string {
    const row = this.#current
    const from = this.#column - before
    this.#change()
    this.#rows[this.#row] = row.slice(0, from) + row.slice(this.#column + after)
    const gone = row.slice(from, this.#column + after)
    this.#column = from
    this.#length -= gone.length
    return gone
  }

  #joinNext(): void {
    if (this.#row >= this.#rows.length - 1) return
    this.#change()
    const [next = ''] = this.#rows.splice(this.#row + 1, 1)
    this.#rows[this.#row] += next
    this.#length--
  }

  #change(): void {
    this.firstChanged = Math.min(this.firstChanged, this.#row)
  }
}

/** Units of the last character, with its combining marks. */
function lastCharacter(text: string): number {
  let at = text.length - 1
  while (at > 0 && isInside(text, at)) at--
  return text.length - at
}

function firstCharacter(text: string): number {
  let at = 1
  while (at < text.length && isInside(text, at)) at++
  return at
}

/** Whether the position is behind the first half of a character, or before a mark that belongs to it. */
function isInside(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  if (unit >= 0xdc00 && unit < 0xe000) return true
  return unit >= 0x300 && cellWidth(String.fromCodePoint(text.codePointAt(at) ?? 0)) === 0
}

const wordAtStart = (text: string): number => /^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text)?.[0].length ?? 0

function wordAtEnd(text: string): number {
  let at = text.length
  while (at > 0 && !WORD.test(text[at - 1] as string)) at--
  while (at > 0 && WORD.test(text[at - 1] as string)) at--
  return text.length - at
}
