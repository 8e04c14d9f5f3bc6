import { type Key, type KeyName, KeyReader } from '../prompt/keys.ts'
import type { Typist } from '../session/typist.ts'

/** Receiver of typed keys. */
export interface TakesKeys {
  /** A prompt is there, which takes everything. */
  isEditing(): boolean
  /** The next keys are theirs. */
  typist(by: Typist | undefined): void
  type(text: string): void
  press(key: KeyName): void
  /** A key while something runs: whether a question took it. */
  answer(key: string): boolean
  /** Breaks off the running statement. */
  interrupt(): void
}

/** A key, and who pressed it. */
interface TypedKey {
  key: Key
  by: Typist | undefined
}

/** Input that is not taken yet: while something runs it waits for the next prompt. */
export class TypedAhead {
  readonly #taker: TakesKeys
  readonly #reader = new KeyReader()
  #keys: TypedKey[] = []
  readonly #onceTaken: (() => void)[] = []

  constructor(taker: TakesKeys) {
    this.#taker = taker
  }

  get length(): number {
    return this.#keys.length
  }

  add(bytes: Buffer, by: Typist | undefined): void {
    for (const key of this.#reader.read(bytes)) this.#keys.push({ key, by })
    this.take()
  }

  onceTaken(then: () => void): void {
    if (this.#keys.length) this.#onceTaken.push(then)
    else then()
  }

  drop(): void {
    this.#keys = []
  }

  /** Hands on what can be taken now. Characters that stand together are taken together. */
  take(): void {
    const taker = this.#taker
    let text = ''
    const flush = () => {
      if (text) taker.type(text)
      text = ''
    }
    let taken = 0
    const keys = this.#keys
    for (; taken < keys.length; taken++) {
      const { key, by } = keys[taken] as TypedKey
      if (!taker.isEditing()) break
      taker.typist(by)
      if ('character' in key) text += key.character
      else {
        flush()
        taker.press(key.key)
      }
    }
    flush()
    if (this.#keys !== keys) return
    this.#keys = keys.slice(taken)
    if (!taker.isEditing() && this.#keys.length) this.#takeWhileRunning()
    if (!this.#keys.length) for (const then of this.#onceTaken.splice(0)) then()
  }

  /** Keys that answer a question, or break off the running statement; the rest waits. */
  #takeWhileRunning(): void {
    const kept: TypedKey[] = []
    for (const typed of this.#keys) {
      const name = 'character' in typed.key ? typed.key.character : typed.key.key
      if (this.#taker.answer(name)) continue
      if (name === 'interrupt') {
        kept.length = 0
        this.#taker.interrupt()
      } else kept.push(typed)
    }
    this.#keys = kept
  }
}
