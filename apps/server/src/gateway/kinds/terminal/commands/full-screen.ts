import type { KeyedLine } from './keyed-line.ts'
import type { PromptInPlace, Prompts } from './prompts.ts'
import type { Screen } from './screen.ts'

/**
 * Finds whether keys go to a program that has the screen for itself (editor, pager). Not so where a
 * shell prompts: any text that is shown can switch screens, and the shell knows nothing of it. A
 * program that takes pains to write as an editor does can't be told apart from one
 * (guard/corpus.jsonl).
 */
export class FullScreen {
  readonly #screen: Screen
  readonly #prompts: Prompts
  readonly #keyed: KeyedLine
  /** The line editor that was typed on, and whether text stood before the cursor by then. */
  #editor = 0
  #isPrompting = false
  /** Text before the cursor when the first key went to what seemed to be such a program. */
  #typedAt: PromptInPlace | undefined

  constructor(screen: Screen, prompts: Prompts, keyed: KeyedLine) {
    this.#screen = screen
    this.#prompts = prompts
    this.#keyed = keyed
  }

  /** A line editor does not choose its place on the screen behind its first key, as editors do. */
  get isOn(): boolean {
    const { alternate, takesPastes, isDrawn } = this.#screen
    if (!alternate) return false
    const { text } = this.#screen.beforeCursor()
    // It prompts again where a key clears the screen or lists completions.
    if (takesPastes) return isDrawn && !(this.#isPrompting && this.#prompts.of(text) !== undefined)
    return !this.#prompts.mayBegin(text) && !this.#isShownAsTyped()
  }

  /**
   * A key is typed. Editors choose the cursor's place last of all before they wait for the first one;
   * what has written behind that prompts there, and is no less a shell.
   */
  typedOn(): void {
    const { takesPastes, editor } = this.#screen
    if (!takesPastes || this.#editor === editor) return
    this.#editor = editor
    this.#isPrompting = this.#screen.beforeCursor().text.trim() !== ''
    if (this.#isPrompting) this.#screen.forgetDrawn()
  }

  /** Keys go to it. */
  take(keys: string): void {
    if (!this.#keyed.line.text) this.#typedAt = { ...this.#screen.beforeCursor(), right: undefined }
    for (const key of keys) this.#keyed.takeUnseen(key)
  }

  /** The prompt of a line whose first keys were taken for those of such a program. */
  promptOfLine(): PromptInPlace | undefined {
    const { alternate, takesPastes } = this.#screen
    return alternate && !takesPastes && this.#isShownAsTyped() ? this.#typedAt : undefined
  }

  /**
   * Whether keys are shown behind what stood there before them, in a row that nothing has chosen: so
   * does a terminal, and a pager with a number alone.
   */
  #isShownAsTyped(): boolean {
    const at = this.#typedAt
    const { text: typed } = this.#keyed.line
    if (!at?.text.trim() || /^\d*$/.test(typed) || this.#screen.isPlaced) return false
    const { row, text } = this.#screen.beforeCursor()
    return row === at.row && text.startsWith(at.text + typed[0])
  }
}
