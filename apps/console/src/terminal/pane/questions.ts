import type { AnswerBy, AnswerSchema, BrowserQuestion } from '@sallyport/contract/socket/browsers.ts'
import { t } from '../../lib/i18n.ts'

/** Asks the target of the session; throws its refusal. `schema`: what the answer must be. */
export type Ask = <Schema extends AnswerSchema>(question: BrowserQuestion, schema: Schema) => Promise<AnswerBy<Schema>>

/** An answer, or the refusal in words. */
type Reply<Answer> = Answer & { error?: string | undefined }

/** Questions of a connection that are not answered yet. */
export class Questions<Answer extends object = object> {
  readonly #open = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>()
  readonly #onCount: (count: number) => void
  #last = 0

  /** @param onCount called with how many are open, whenever that changes */
  constructor(onCount: (count: number) => void = () => {}) {
    this.#onCount = onCount
  }

  /** Sends a question under its number, and waits for the answer. Rejects with the refusal. */
  ask(send: (question: number) => void): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const question = ++this.#last
      this.#open.set(question, { resolve, reject })
      this.#onCount(this.#open.size)
      send(question)
    })
  }

  take(question: number, { error, ...answer }: Reply<Answer>): void {
    if (error === undefined) this.#open.get(question)?.resolve(answer as Answer)
    else this.#open.get(question)?.reject(new Error(error))
    this.#open.delete(question)
    this.#onCount(this.#open.size)
  }

  /** No answer will arrive. */
  drop(): void {
    for (const { reject } of this.#open.values()) reject(new Error(t('Not connected')))
    this.#open.clear()
    this.#onCount(0)
  }
}
