import type { TerminalSize } from '../streams.ts'
import type { FullScreen } from './full-screen.ts'
import type { KeyedLine, TypedLine } from './keyed-line.ts'
import type { PromptInPlace, Prompts } from './prompts.ts'
import type { Screen } from './screen.ts'
import type { LinePlace, ShownLine } from './shown-line.ts'

export interface LineBeginParts {
  screen: Screen
  prompts: Prompts
  shown: ShownLine
  keyed: KeyedLine
  fullScreen: FullScreen
}

/**
 * Begin of the line that is being edited: the text before the cursor when its first key was typed.
 * Doubts the keys where a machine may have left something in it.
 */
export class LineBegin {
  readonly #parts: LineBeginParts
  #prompt: PromptInPlace | undefined
  /**
   * The prompt of a line that a key should have given up: the machine may think otherwise of that
   * key (`stty intr`, a key that was quoted), and have the line still.
   */
  #leftAt: PromptInPlace | undefined
  /** The keys say that the line is empty, and the screen has not said so yet. */
  #isDoubted = false
  /** See `LinePlace`. */
  #editing: LinePlace['editing']
  /** How many lines keys have set aside, which zsh puts behind one of the next prompts each. */
  #aside = 0
  /** The row in which the line before was left. */
  #leftRow = 0
  /** The last return left no line: it may have ended a search, whose line is there still. */
  #wasSwallowed = false
  /** Rows of the window; and of the lowest that it was while this line was edited. */
  #rows: number
  #height: number

  constructor(parts: LineBeginParts, { rows }: TerminalSize) {
    this.#parts = parts
    this.#rows = rows
    this.#height = rows
  }

  /** Undefined while nothing is typed. */
  get prompt(): PromptInPlace | undefined {
    return this.#prompt
  }

  get place(): LinePlace {
    return { prompt: this.#prompt, editing: this.#editing, leftRow: this.#leftRow, height: this.#height }
  }

  /** With the cursor on another line, the one that is in doubt was given up. */
  get hasGoneOn(): boolean {
    const at = this.#prompt ?? this.#leftAt
    return at !== undefined && !this.#parts.shown.isAt(at)
  }

  resize({ rows }: TerminalSize): void {
    this.#rows = rows
    this.#height = Math.min(this.#height, rows)
  }

  /** The first key of a line is typed. */
  begin(): void {
    const { screen, prompts, keyed } = this.#parts
    this.#height = this.#rows
    const left = this.#leftAt
    this.#leftAt = undefined
    if (left && this.#isStillAt(left)) {
      this.#prompt = left
      keyed.doubt()
      return
    }
    const { text } = screen.beforeCursor()
    const wasAside = this.#aside > 0
    const wasSwallowed = this.#wasSwallowed
    this.#wasSwallowed = false
    const mayHoldText = wasAside && !prompts.isKnown(text)
    if (wasAside) this.#aside--
    const right = wasSwallowed ? undefined : screen.rightPrompt()
    this.#prompt = { row: screen.cursor.row, text, right, mayHoldText }
    if (mayHoldText || wasSwallowed || prompts.shorterThan(text)) keyed.doubt()
    else {
      prompts.remember(this.#prompt)
      if (this.#isDoubted) keyed.begin()
    }
    this.#isDoubted = false
    // A shell that prompts again, without saying that its editor is done, has another line.
    const isNew = !this.#editing || prompts.isOfShell(text)
    if (screen.takesPastes && isNew) this.#editing = { prompt: this.#prompt, hasRows: false }
  }

  /** Finds the line of a shell that was taken for keys of a full-screen program. */
  find(): void {
    if (this.#prompt) return
    this.#prompt = this.#parts.fullScreen.promptOfLine()
    if (this.#prompt) this.#parts.prompts.remember(this.#prompt)
  }

  /** A key has set the line aside. */
  setAside(): void {
    this.#aside++
  }

  /** The return was typed. `line`: as it was then. */
  sent(line: TypedLine): void {
    if (this.#editing) this.#editing.hasRows = true
    // With unknown keys, the return may have ended a search alone.
    if (this.#aside > 0 || !line.isKnown) this.#doubt()
  }

  /** A key should have given it up: what follows comes after a new prompt. */
  abandoned(line: TypedLine): void {
    if (mayRemain(line)) {
      this.#leftAt = this.#prompt ?? this.#leftAt
      this.#doubt()
    }
    this.#prompt = undefined
  }

  /** The gateway had it emptied; `isSeen`: as the screen says. */
  cleared(isSeen: boolean): void {
    this.#leftAt = isSeen ? undefined : (this.#prompt ?? this.#leftAt)
    this.#prompt = undefined
    this.#parts.keyed.begin()
    if (isSeen) this.#isDoubted = false
    else this.#doubt()
  }

  /** The cursor has left it. */
  left(): void {
    this.#leftRow = this.#parts.screen.cursor.row
    this.#prompt = undefined
  }

  /** The line editor says that it is done. */
  edited(): void {
    this.#editing = undefined
    this.#leftAt = undefined
    this.#leftRow = this.#parts.screen.cursor.row
  }

  /** Its return left no line. */
  swallowed(): void {
    this.#wasSwallowed = true
    this.#leftRow = this.#parts.screen.line().row
    this.#prompt = undefined
  }

  #doubt(): void {
    this.#isDoubted = true
    this.#parts.keyed.doubt()
  }

  /** The cursor has not left the line, which may hold what was typed there. */
  #isStillAt({ row, text }: PromptInPlace): boolean {
    const { screen } = this.#parts
    const isThere = row >= screen.line().row && row <= screen.cursor.row
    return isThere || (text.trim() !== '' && screen.beforeCursor().text.trim() === '')
  }
}

/** Whether keys have put anything there, for all that is known. */
const mayRemain = ({ text, withErased, isKnown, isDoubted }: TypedLine) =>
  text !== '' || withErased !== undefined || !isKnown || isDoubted
