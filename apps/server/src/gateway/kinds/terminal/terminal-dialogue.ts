import type { Dialogue, Progress } from '../../session/dialogue.ts'
import { cellWidth } from './cell-width.ts'

const LEAVES: ReadonlySet<string> = new Set(['q', 'Q', '\x03', '\x04'])
const CLEAR_LINE = '\r\x1b[K'
const SECOND_MS = 1000
const COUNT_MS = 100
const MAX_ANSWER = 4096
/** An unanswered question must not hold a connection for ever. */
const ANSWER_MS = 3 * 60_000
// biome-ignore lint/suspicious/noControlCharactersInRegex: arrow keys and the like start with it
const KEYS = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?/g

// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC starts a color
const COLORS = /\x1b\[[0-9;]*m/g

const widthOf = (line: string) =>
  [...line.replace(COLORS, '')].reduce((sum, character) => sum + cellWidth(character), 0)

/** Reads one answer at a time from what a person types, with backspace, echoed or not. */
export class TerminalDialogue implements Dialogue {
  readonly #show: (text: string) => void
  readonly #leaves: ReadonlySet<string>
  readonly #columns: (() => number) | undefined
  #question:
    | { echo: boolean; typed: string; timer: NodeJS.Timeout; resolve: (answer: string | undefined) => void }
    | undefined
  #leave: (() => void) | undefined
  /** A wait was ended before it began: what is asked for meanwhile takes its time. */
  #hasLeft = false
  #closed = false
  #asked = false

  /**
   * `leaves`: keys that end a wait. `columns`: the terminal's width, by which the lines of a wait are
   * taken away at its end; without it their heading stays.
   */
  constructor(show: (text: string) => void, leaves = LEAVES, columns?: () => number) {
    this.#show = show
    this.#leaves = leaves
    this.#columns = columns
  }

  /** Shows the text with a counter of seconds, on a line that is removed at the end. */
  progress(text: string): Progress {
    const started = Date.now()
    const count = () => this.#show(`${CLEAR_LINE}${text} ${((Date.now() - started) / SECOND_MS).toFixed(1)}s`)
    let counter = setInterval(count, COUNT_MS)
    this.#show(text)
    return {
      pause: () => clearInterval(counter),
      goOn: () => {
        counter = setInterval(count, COUNT_MS)
      },
      end: () => {
        clearInterval(counter)
        this.#show(CLEAR_LINE)
      },
    }
  }

  /** Whether a question is open. */
  get asking(): boolean {
    return this.#question !== undefined
  }

  /** Whether there has been a question, answered or not. */
  get asked(): boolean {
    return this.#asked
  }

  ask(prompt: string, { echo }: { echo: boolean }): Promise<string | undefined> {
    this.#asked = true
    this.#hasLeft = false
    if (this.#closed) return Promise.resolve(undefined)
    this.#show(prompt.replace(/\r?\n/g, '\r\n'))
    return new Promise((resolve) => {
      this.#question = { echo, typed: '', timer: setTimeout(() => this.#answer(undefined), ANSWER_MS), resolve }
    })
  }

  wait(heading: string, text: string, signal: AbortSignal): Promise<'over' | 'left'> {
    this.#asked = true
    if (this.#closed || this.#hasLeft) return Promise.resolve('left')
    const started = Date.now()
    const count = () => this.#show(`${CLEAR_LINE}${text} ${Math.round((Date.now() - started) / SECOND_MS)}s`)
    this.#show(`${heading}\r\n`)
    count()
    return new Promise((resolve) => {
      const timer = setInterval(count, SECOND_MS)
      const finish = (how: 'over' | 'left') => {
        clearInterval(timer)
        signal.removeEventListener('abort', over)
        this.#leave = undefined
        this.#show(this.#clearing(heading, text))
        resolve(how)
      }
      const over = () => finish('over')
      this.#leave = () => finish('left')
      if (signal.aborted) over()
      else signal.addEventListener('abort', over)
    })
  }

  say(text: string): void {
    this.#show(`${text}\r\n`)
  }

  /** What takes the heading of a wait away, and the line of seconds below it. */
  #clearing(heading: string, text: string): string {
    const columns = this.#columns?.()
    if (!columns) return CLEAR_LINE
    const rows = (line: string) => Math.max(1, Math.ceil(widthOf(line) / columns))
    const above = heading.split('\r\n').reduce((sum, line) => sum + rows(line), 0) + rows(`${text} 9999s`) - 1
    return `\x1b[${above}A\r\x1b[J`
  }

  /** Takes what the person typed; without an open question it is dropped. */
  input(text: string): void {
    for (const character of text.replace(KEYS, '')) this.#take(character)
  }

  /** The person is gone: open and later questions get no answer. */
  close(): void {
    this.#closed = true
    this.#leave?.()
    this.#answer(undefined)
  }

  #take(character: string): void {
    const question = this.#question
    if (this.#leaves.has(character)) {
      this.#leave?.()
      this.#hasLeft = this.#asked && !question
    }
    if (!question) return
    if (character === '\r' || character === '\n') this.#answer(question.typed)
    else if (character === '\x03' || character === '\x04') this.#answer(undefined)
    else if (character === '\x7f' || character === '\b') {
      if (!question.typed) return
      const last = [...question.typed].at(-1) ?? ''
      question.typed = question.typed.slice(0, -last.length)
      if (question.echo) this.#show('\b \b'.repeat(cellWidth(last)))
    } else if (character >= ' ' && question.typed.length < MAX_ANSWER) {
      question.typed += character
      if (question.echo) this.#show(character)
    }
  }

  #answer(answer: string | undefined): void {
    const question = this.#question
    this.#question = undefined
    if (!question) return
    clearTimeout(question.timer)
    this.#show('\r\n')
    question.resolve(answer)
  }
}
