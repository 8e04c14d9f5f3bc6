import { cellWidth } from '../../kinds/terminal/cell-width.ts'

/** Longest line in characters; more are not accepted. */
export const MAX_LINE = 512

/**
 * A line that is being edited: the text before and after the cursor, by character, each with its
 * combining marks.
 */
export class Line {
  #before: string[] = []
  #after: string[] = []
  /** Length of the whole in UTF-16 units; kept up to date, since a paste asks at each character. */
  #length = 0
  #killed = ''

  get text(): string {
    return this.#before.join('') + this.#after.join('')
  }
  get isEmpty(): boolean {
    return !this.#before.length && !this.#after.length
  }
  get before(): readonly string[] {
    return this.#before
  }
  get after(): readonly string[] {
    return this.#after
  }

  /** False when the line is full. */
  insert(character: string): boolean {
    const last = this.#before.length - 1
    if (this.#length + character.length > MAX_LINE) return false
    if (cellWidth(character) > 0) this.#before.push(character)
    else if (last >= 0) this.#before[last] += character
    else return false
    this.#length += character.length
    return true
  }

  /** Replaces everything, with the cursor at the end. */
  set(text: string): void {
    this.#before = []
    this.#after = []
    this.#length = 0
    for (const character of text) this.insert(character)
  }

  left(count = 1): void {
    this.#after.unshift(...this.#before.splice(Math.max(0, this.#before.length - count)))
  }
  right(count = 1): void {
    this.#before.push(...this.#after.splice(0, count))
  }
  home(): void {
    this.left(this.#before.length)
  }
  end(): void {
    this.right(this.#after.length)
  }
  wordLeft(): void {
    this.left(this.#wordBefore())
  }
  wordRight(): void {
    this.right(this.#wordAfter())
  }

  backspace(): void {
    this.#take(this.#before.splice(-1))
  }
  delete(): void {
    this.#take(this.#after.splice(0, 1))
  }
  killToStart(): void {
    this.#kill(this.#before.splice(0))
  }
  killToEnd(): void {
    this.#kill(this.#after.splice(0))
  }
  killWord(): void {
    this.#kill(this.#before.splice(this.#before.length - this.#wordBefore()))
  }
  killWordRight(): void {
    this.#kill(this.#after.splice(0, this.#wordAfter()))
  }
  /** Inserts what was last deleted. */
  yank(): void {
    for (const character of this.#killed) this.insert(character)
  }

  #kill(characters: string[]): void {
    if (characters.length) this.#killed = this.#take(characters)
  }

  #take(characters: string[]): string {
    const text = characters.join('')
    this.#length -= text.length
    return text
  }

  #wordBefore(): number {
    return wordLength(this.#before.toReversed())
  }
  #wordAfter(): number {
    return wordLength(this.#after)
  }
}

/** Length of blanks and the word after them. */
function wordLength(characters: readonly string[]): number {
  let count = 0
  while (count < characters.length && characters[count] === ' ') count++
  while (count < characters.length && characters[count] !== ' ') count++
  return count
}
