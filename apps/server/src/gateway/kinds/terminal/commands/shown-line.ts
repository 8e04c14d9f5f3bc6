import type { TypedLine } from './keyed-line.ts'
import { PROMPT_END, type Prompt, type PromptInPlace, type Prompts } from './prompts.ts'
import type { RightPrompt } from './row.ts'
import type { Screen } from './screen.ts'

/** Place of the line that is being edited, as far as it is known. */
export interface LinePlace {
  /** Text there when its first key was typed. */
  prompt: PromptInPlace | undefined
  /** The first prompt since a line editor came on, and whether a return was sent to it since. */
  editing: { prompt: PromptInPlace; hasRows: boolean } | undefined
  /** The row in which the line before was left. */
  leftRow: number
  /** Rows of the window, of the lowest that it was while the line was edited. */
  height: number
}

const SPLITS_MAX = 8
/** Marks of zsh in place of rows for which the window is too low. */
const CUT_BY_ZSH = /^>\.{4}|<\.{4}$/
/** Line of zsh with the text that is searched for, below the edited one. */
const SEARCHING_ZSH = /^(?:failing |invalid )?(?:bck|fwd)-i-search: .*_$/
/** The same, with nothing that a shell would run. */
const HARMLESS_SEARCH = /: [\w ./-]*_$/
/** Questions of bash below the line, behind which it goes on when it is interrupted there. */
const ASKING_BASH = /^(?:Display all \d+ possibilities\? \(y or n\)|--More--)/
/** A shell searches its history: the result is behind the text that is searched for. */
const SEARCH = /^\((?:failed )?(?:reverse-)?i-search\)`/

/** Reads the line that is being edited off the screen. */
export class ShownLine {
  readonly #screen: Screen
  readonly #prompts: Prompts

  constructor(screen: Screen, prompts: Prompts) {
    this.#screen = screen
    this.#prompts = prompts
  }

  /**
   * Texts of the line, down to the cursor or to the last row; none where that is unknown, more than
   * one where the begin of the line is not certain.
   */
  texts(place: LinePlace, typed: TypedLine, to: 'cursor' | 'last'): string[] {
    const texts = this.#found(place, typed, to) ?? this.#edited(place, typed, to)
    return texts.some((one) => CUT_BY_ZSH.test(one)) ? [] : texts
  }

  isAt(prompt: PromptInPlace): boolean {
    const { row, text } = this.#screen.line()
    return prompt.row >= row && prompt.row <= this.#screen.cursor.row && text.startsWith(prompt.text.trimEnd())
  }

  behindKnownPrompt(): string | undefined {
    const known = this.#knownPrompt()
    return known && this.#screen.line(known.right).text.slice(known.text.length).trim()
  }

  /** The cursor is before all that is shown of the line, or behind it. */
  ends(prompt: Prompt | undefined): { isAtBegin: boolean; isAtEnd: boolean } {
    const before = this.#screen.beforeCursor().text
    return {
      isAtBegin: before === prompt?.text,
      isAtEnd: before.trimEnd() === this.#screen.line(prompt?.right).text,
    }
  }

  #knownPrompt(): Prompt | undefined {
    return this.#prompts.of(this.#screen.line().text)
  }

  /** Possible results of a search through the history, which are shown in place of a prompt. */
  #found(place: LinePlace, typed: TypedLine, to: 'cursor' | 'last'): string[] | undefined {
    const { row, text } = this.#screen.line()
    if (!SEARCH.test(text)) return undefined
    if (this.#isUnreadable(row, place, typed)) return []
    const parts = this.#screen.linesFrom(row, undefined, to).join('\n').split("': ").slice(0, SPLITS_MAX)
    // Text that was typed since is still on its way.
    if (!parts[0]?.replace(/':?$/, '').endsWith(typed.run)) return []
    return parts.length < 2 ? [''] : parts.slice(1).map((_, at) => parts.slice(at + 1).join("': "))
  }

  #edited(place: LinePlace, typed: TypedLine, to: 'cursor' | 'last'): string[] {
    const { prompt, editing } = place
    const behind = (one: PromptInPlace, down = to) => this.#behind(one, place, typed, down)
    if (editing?.hasRows) return behind(editing.prompt, 'last')
    if (!prompt?.text.trim() || !this.isAt(prompt)) {
      const known = this.#knownPrompt()
      const texts = known ? behind({ ...known, row: this.#screen.line().row }) : []
      return typed.mayBeFetched ? this.#withRowsAbove(texts, place, behind) : texts
    }
    // Text behind the cursor may be a suggestion of the shell.
    const isTyped = isKnown(typed) && this.#screen.beforeCursor().text === prompt.text + typed.text
    if (isTyped) return [typed.text.trim()]
    // Text that a shell put there itself was taken for a part of the prompt.
    const shorter = this.#prompts.shorterThan(prompt.text)
    const stripped = prompt.mayHoldText ? PROMPT_END.exec(prompt.text)?.[0] : undefined
    return [prompt.text, shorter?.text, stripped].flatMap((text) =>
      text === undefined ? [] : behind({ ...prompt, text }),
    )
  }

  /**
   * The line that a key has fetched may have rows above the cursor, which may look like prompts: it
   * begins at the first prompt since its first key. Where that can't be seen, the line is unknown.
   */
  #withRowsAbove(
    texts: readonly string[],
    { prompt, editing, leftRow }: LinePlace,
    behind: (prompt: PromptInPlace) => string[],
  ): string[] {
    const from = Math.max((editing?.prompt ?? prompt)?.row ?? 0, leftRow)
    if (from < this.#screen.firstRow) return []
    for (let row = from; row <= this.#screen.cursor.row; row++) {
      const [line = ''] = this.#screen.linesFrom(row)
      const first = this.#prompts.of(line)
      if (first) return [...new Set([...texts, ...behind({ ...first, row })])]
    }
    return []
  }

  #behind({ row, text, right }: PromptInPlace, place: LinePlace, typed: TypedLine, to: 'cursor' | 'last'): string[] {
    if (this.#isUnreadable(row, place, typed, right) || this.#searchesOn(row, typed, to)) return []
    const without = this.#textsFrom(row, text, right, to)
    // A line that was fetched may have brought what is there now.
    const isRight = !right || isKnown(typed) || this.#screen.isUntouched(right, row)
    return isRight ? without : [...new Set([...without, ...this.#textsFrom(row, text, undefined, to)])]
  }

  /** zsh has not read all that it is to search for. */
  #searchesOn(row: number, { run }: TypedLine, to: 'cursor' | 'last'): boolean {
    const last = this.#screen.linesFrom(row, undefined, to).at(-1) ?? ''
    return SEARCHING_ZSH.test(last) && !last.slice(0, -1).endsWith(run)
  }

  #textsFrom(row: number, prompt: string, right: RightPrompt | undefined, to: 'cursor' | 'last'): string[] {
    const lines = this.#screen.linesFrom(row, right, to)
    const below = lines.at(-1) ?? ''
    if (lines.length > 1 && SEARCHING_ZSH.test(below) && HARMLESS_SEARCH.test(below)) lines.pop()
    const all = lines.join('\n').slice(prompt.length).trim()
    const last = lines.at(-1) ?? ''
    return ASKING_BASH.test(last) ? [all, last.replace(ASKING_BASH, '').trim()] : [all]
  }

  /**
   * Shells show a part of a line that fills the window, or rows above each other; in a single row
   * they do so with any long line. Nothing can be read off a terminal that is not understood.
   */
  #isUnreadable(row: number, { height }: LinePlace, typed: TypedLine, right?: RightPrompt): boolean {
    const { firstRow, lastRow, garbledRow } = this.#screen
    if (row < firstRow || row <= garbledRow) return true
    return (
      (typed.mayBeFetched && lastRow - row + 1 >= height) || (!isKnown(typed) && this.#screen.goesOnAside(row, right))
    )
  }
}

const isKnown = (typed: TypedLine) => typed.isKnown && !typed.isDoubted
