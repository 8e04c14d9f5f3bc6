import { emptyRow, type Row } from './row.ts'
import { HEIGHT, ScreenRows } from './screen-rows.ts'
import { Sequences } from './sequences.ts'

/** Control sequences without effect on text and cursor: reports, tabs, colors, lamps, the window. */
const HARMLESS: ReadonlySet<string> = new Set('cgimnpqt')
/** Other sequences without one: keypad modes, sets of characters, tabs, the end of a string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC starts them
const HARMLESS_ESCAPE = /^\x1b(?:[=>HNOZ\\klmno|}~]$|[()*+./#%-])/
/** Controls that move the cursor otherwise than shells do on the terminals that this model is of. */
const MOVES: ReadonlySet<number> = new Set([0x0b, 0x0c, 0x1c, 0x1d, 0x1e, 0x1f])

/**
 * A small model of a terminal's screen, for recognizing command lines alone. It understands what
 * line editors write (cursor moves, erasing, inserting, wrapping, wide characters). What it does not
 * understand, as of terminals of other makes, makes a row unreadable.
 */
export class Screen extends ScreenRows {
  readonly #sequences = new Sequences()
  #alternate = false
  /** Content of the first screen while the second one is on. */
  #behind: { rows: Row[]; first: number; row: number; column: number; garbled: number } | undefined
  /** Printed text moves the text behind it to the right (IRM). Shells do so on few terminals. */
  #inserts = false
  /** Text was put anywhere on the screen since a line editor came on. */
  #isDrawn = false
  /** The row that was chosen last. */
  #placedRow: number | undefined
  #takesPastes = false
  #editor = 0
  #saved: { row: number; column: number } | undefined
  /** Called before the cursor goes down, by a line feed or a move. */
  onDown: (how: 'fed' | 'moved') => void = () => {}
  /** Called when a line editor has finished with its line, of one row or several. */
  onEdited: () => void = () => {}

  /** Whether the second screen is on, as of a full-screen program (editor, pager). */
  get alternate(): boolean {
    return this.#alternate
  }

  /**
   * Whether a line editor is on that accepts a paste as text, line ends included (bracketed paste).
   */
  get takesPastes(): boolean {
    return this.#takesPastes
  }

  /** Whether something has chosen its place on the screen since a line editor came on, which none does. */
  get isDrawn(): boolean {
    return this.#isDrawn
  }

  /** Number of the line editor that is on, or of what has come since. */
  get editor(): number {
    return this.#editor
  }

  /** Whether the cursor's row is one that was chosen. */
  get isPlaced(): boolean {
    return this.cursor.row === this.#placedRow
  }

  /** Whether a part of the cursor's line is unknown, or goes into a title. */
  override get isLost(): boolean {
    return this.#sequences.inString || super.isLost
  }

  /** Text that was placed by the cursor so far comes from no editor. */
  forgetDrawn(): void {
    this.#isDrawn = false
  }

  write(text: string): void {
    for (const character of text) this.#take(character)
  }

  #take(character: string): void {
    const sequence = this.#sequences.take(character)
    if (sequence) this.#obey(sequence)
    if (sequence !== undefined) return
    const code = character.codePointAt(0) ?? 0
    if (code === 0x0a) this.#lineFeed()
    else if (code === 0x0d) this.column = 0
    else if (code === 0x08) this.column = Math.max(0, this.column - 1)
    else if (code === 0x09) this.column = Math.min(this.columns - 1, (Math.floor(this.column / 8) + 1) * 8)
    else if (code >= 0x20 && code !== 0x7f) this.#print(character)
    else if (MOVES.has(code)) this.garble()
  }

  #print(character: string): void {
    this.print(character)
    if (this.#inserts) this.garble()
  }

  #lineFeed(): void {
    if (!this.#alternate || !this.#isDrawn) this.onDown('fed')
    // A row that continues keeps doing so: line editors move down inside a long line like this.
    this.down()
  }

  #obey(sequence: string): void {
    if (sequence.startsWith('\x1b[')) this.#obeyControl(sequence.slice(2, -1), sequence.at(-1) ?? '')
    else if (sequence === '\x1b7') this.#saveCursor()
    else if (sequence === '\x1b8') this.#restoreCursor()
    else if (!HARMLESS_ESCAPE.test(sequence)) this.garble()
  }

  #saveCursor(): void {
    this.#saved = this.cursor
  }

  #restoreCursor(): void {
    if (!this.#saved) return
    this.row = Math.min(Math.max(0, this.#saved.row - this.first), this.rows.length - 1)
    this.column = Math.min(this.columns - 1, this.#saved.column)
  }

  #setMode(mode: string, isOn: boolean): void {
    if (/^\?(?:1049|1048|1047|47)$/.test(mode)) this.#switch(isOn)
    else if (mode === '4') this.#inserts = isOn
    else if (mode === '?2004') {
      this.#takesPastes = isOn
      this.#isDrawn = false
      this.#editor++
      if (!isOn) this.onEdited()
    }
  }

  #switch(toSecond: boolean): void {
    if (toSecond === this.#alternate) return
    this.#alternate = toSecond
    const { rows, first, row, column, garbled } = this
    if (toSecond) {
      this.#behind = { rows, first, row, column, garbled }
      this.rows = rows.map((one) => ({ ...one, cells: [...one.cells] }))
    } else if (this.#behind) {
      Object.assign(this, this.#behind)
      this.#behind = undefined
    }
  }

  /** Control sequences by their final letter (ECMA-48 §8.3). */
  #obeyControl(parameters: string, letter: string): void {
    if (letter === 'h' || letter === 'l') {
      const [prefix = ''] = /^\?/.exec(parameters) ?? []
      for (const mode of parameters.slice(prefix.length).split(';')) this.#setMode(prefix + mode, letter === 'h')
      return
    }
    // Sequences of a maker's own, and such that are of no interest here.
    if (/[^\d;:]/.test(parameters) || HARMLESS.has(letter)) return
    const numbers = parameters.split(';').map((part) => Number.parseInt(part, 10) || 0)
    const count = Math.min(Math.max(1, numbers[0] ?? 1), 10_000)
    switch (letter) {
      case 'A':
        this.row = Math.max(0, this.row - count)
        break
      case 's':
        if (!parameters) this.#saveCursor()
        break
      case 'u':
        if (!parameters) this.#restoreCursor()
        break
      case 'B':
        this.onDown('moved')
        for (let n = 0; n < Math.min(count, HEIGHT); n++) this.down()
        break
      case 'C':
        this.column = Math.min(this.columns - 1, this.column + count)
        break
      case 'D':
        this.column = Math.max(0, this.column - count)
        break
      case 'G':
        this.column = Math.min(this.columns - 1, count - 1)
        break
      case 'H':
      case 'f':
        this.#place(numbers)
        break
      case 'd':
      case 'r':
        this.#isDrawn = true
        break
      case 'J':
        this.rows.length = this.row + 1
        this.current().wrapped = false
        this.erase(numbers[0] === 2 || numbers[0] === 3 ? 'all' : 'behind')
        break
      case 'K':
        this.erase(!numbers[0] ? 'behind' : numbers[0] === 1 ? 'before' : 'all')
        if (numbers[0] !== 1) this.current().wrapped = false
        break
      case 'P':
        this.remove(count)
        break
      case '@':
        this.insert(count)
        break
      case 'X':
        this.blank(count)
        break
      default:
        this.garble()
    }
  }

  /**
   * Absolute rows, which this model does not know: programs that use them draw rather than edit a
   * line. Clearing the screen gets here, too.
   */
  #place([row = 0, column = 0]: readonly number[]): void {
    if (row > 1 || column > 1) this.#isDrawn = true
    for (const one of this.rows.slice(-1)) one.wrapped = false
    this.rows.push(emptyRow())
    this.row = this.rows.length - 1
    this.column = Math.min(this.columns - 1, Math.max(0, (column || 1) - 1))
    while (this.rows.length > HEIGHT) this.dropFirst()
    this.#placedRow = this.cursor.row
  }
}
