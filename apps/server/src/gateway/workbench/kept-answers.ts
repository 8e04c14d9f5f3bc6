import type { WorkbenchEvent } from '@sallyport/contract/socket/workbench.ts'
import type { KeptResult } from './kept-rows.ts'

/** So much of columns, rows and messages is kept: a few pages. */
const KEPT_CHARACTERS = 4 * 1024 * 1024
/** And so many events of every other kind, each of which is short. */
const KEPT_EVENTS = 20_000

/** Messages that may be long. */
const KEPT_BY_LENGTH: ReadonlySet<string> = new Set(['rows', 'said', 'columns', 'changed'])

/**
 * Messages to a page about its newest run, for the page that takes its place; the beginning of
 * many.
 */
export class KeptAnswers {
  #run = 0
  #messages: string[] = []
  #characters = 0
  #cut: KeptResult | undefined

  /** A run begins: what was before it is on no screen any more. */
  begin(run: number): void {
    this.#run = run
    this.#messages = []
    this.#characters = 0
    this.#cut = undefined
  }

  /** The run that is shown; 0 before the first. */
  get run(): number {
    return this.#run
  }

  /** The result of which rows were shown that are not here. */
  get cut(): KeptResult | undefined {
    return this.#cut
  }

  /** `text`: the event as it is sent. */
  add(event: WorkbenchEvent, text: string): void {
    if (event.run !== this.#run) return
    // Rows behind those that are not here would seem to follow those before them.
    if (event.event === 'rows' && this.#isCut(event)) return
    if (KEPT_BY_LENGTH.has(event.event)) {
      if (this.#characters + text.length > KEPT_CHARACTERS) {
        if (event.event === 'rows') this.#cut = { statement: event.statement, result: event.result }
        return
      }
      this.#characters += text.length
    } else if (this.#messages.length >= KEPT_EVENTS && event.event !== 'idle') return
    const isOfCut = event.event === 'done' && this.#isCut(event)
    this.#messages.push(isOfCut ? JSON.stringify({ ...event, isCut: true }) : text)
  }

  /** In its order. */
  get messages(): readonly string[] {
    return this.#messages
  }

  #isCut({ statement, result }: KeptResult): boolean {
    return this.#cut?.statement === statement && this.#cut.result === result
  }
}
