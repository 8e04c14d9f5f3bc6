import type { RightPrompt } from './row.ts'

/** Text of a line before anything is typed. */
export interface Prompt {
  text: string
  right: RightPrompt | undefined
}

export interface PromptInPlace extends Prompt {
  row: number
  /** A shell may have put text behind it that was set aside before. */
  mayHoldText?: boolean
}

const KEPT = 4
/**
 * Prompts of shells and databases, for lines that were moved by completion lists or typed ahead.
 */
export const PROMPT_END = /^.*?[$#%>❯➜]\s/u
/** A question that a program asks, such as for a password, ends otherwise. */
const SHELL_PROMPT = /[$#%>❯➜]\s*$/u

/** The prompts of a session that were seen last, by which its lines are found on the screen. */
export class Prompts {
  /** The newest last. */
  #recent: Prompt[] = []
  /** Those at which something was run. */
  readonly #ofShells = new Set<string>()

  remember(prompt: Prompt): void {
    if (!prompt.text.trim()) return
    this.#recent = [...this.#recent.filter((one) => one.text !== prompt.text), prompt].slice(-KEPT)
  }

  /** Something was run at it. */
  ran(text: string): void {
    this.#ofShells.delete(text)
    this.#ofShells.add(text)
    const [oldest = ''] = this.#ofShells
    if (this.#ofShells.size > KEPT) this.#ofShells.delete(oldest)
  }

  isKnown(text: string): boolean {
    return this.#recent.some((one) => one.text === text)
  }

  isOfShell(text: string): boolean {
    return this.#ofShells.has(text)
  }

  /** The one with which a line begins. */
  of(line: string): Prompt | undefined {
    return this.#recent.findLast((one) => line.startsWith(one.text.trimEnd()))
  }

  /** Whether a shell may prompt there, with something typed behind it. */
  mayBegin(line: string): boolean {
    return SHELL_PROMPT.test(line) || PROMPT_END.test(line) || this.of(line) !== undefined
  }

  /** Whether a text that is not that prompt ends with one. */
  isEndOf(text: string, prompt: string | undefined): boolean {
    return text !== prompt && this.#recent.some((one) => text.endsWith(one.text))
  }

  /** One that was there before, behind which a shell may have put text of its own. */
  shorterThan(text: string): Prompt | undefined {
    return this.#recent.find((one) => one.text !== text && text.startsWith(one.text))
  }

  /** Whether it looks like what programs ask, and at none like it was anything run. */
  isQuestion(text: string): boolean {
    return text.trim() !== '' && !SHELL_PROMPT.test(text) && !this.#ofShells.has(text)
  }
}
