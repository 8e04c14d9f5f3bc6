import {
  type AnswerBy,
  type AnswerSchema,
  type BrowserQuestion,
  readAnswer,
} from '@sallyport/contract/socket/browsers.ts'
import { t } from '../../lib/i18n.ts'

/** Asks the target of the session; throws its refusal. `schema`: what the answer must be. */
export type Ask = <Schema extends AnswerSchema>(question: BrowserQuestion, schema: Schema) => Promise<AnswerBy<Schema>>

interface Reply {
  error?: string | undefined
}

/** Questions of a connection that are not answered yet. */
export class Questions {
  readonly #open = new Map<number, (reply: Reply) => void>()
  readonly #onCount: (count: number) => void
  #last = 0

  /** @param onCount called with how many are open, whenever that changes */
  constructor(onCount: (count: number) => void) {
    this.#onCount = onCount
  }

  /** Sends a question under its number, and waits for the answer. */
  ask<Schema extends AnswerSchema>(send: (question: number) => void, schema: Schema): Promise<AnswerBy<Schema>> {
    return new Promise((resolve, reject) => {
      const question = ++this.#last
      this.#open.set(question, ({ error, ...reply }) => {
        const answer = error === undefined ? readAnswer(schema, reply) : undefined
        if (answer === undefined) reject(new Error(error ?? t('This cannot be shown')))
        else resolve(answer)
      })
      this.#onCount(this.#open.size)
      send(question)
    })
  }

  take({ question, ...reply }: Reply & { question: number }): void {
    this.#open.get(question)?.(reply)
    this.#open.delete(question)
    this.#onCount(this.#open.size)
  }

  /** No answer will arrive. */
  drop(): void {
    for (const answer of this.#open.values()) answer({ error: t('Not connected') })
    this.#open.clear()
    this.#onCount(0)
  }
}
