import { RecordingClock, secondsText } from '../../recording/recording-clock.ts'
import { RecordingFile, type RecordingWriter } from '../../recording/recording-file.ts'
import type { Outcome } from './streams.ts'

/** Longest statement that is recorded in full; of a longer one the beginning and its length are. */
export const STATEMENT_CHARACTERS = 64 * 1024

/** Lines are made together: so many of them, of so many characters, or after this at the latest. */
const LINES_AT_ONCE = 64
const CHARACTERS_AT_ONCE = 64 * 1024
const LINES_MS = 50

/** Content of a line. */
interface Event {
  milliseconds: number
  values: readonly unknown[]
}

/**
 * Records a session of statements, one JSON array a line: `[seconds, "statement", number, text,
 * length]` when it was sent on, `[seconds, "answer", number, outcome]`, `[seconds, "refused", text,
 * why]` and `[seconds, "notice", text]`. Numbers start at 1.
 */
export class StatementLog {
  readonly #writer: RecordingWriter
  readonly #clock: RecordingClock
  #events: Event[] = []
  #characters = 0
  #timer: NodeJS.Timeout | undefined
  /** The disk can't keep up. */
  #isBehind = false

  private constructor(writer: RecordingWriter, startedAt: Date) {
    this.#writer = writer
    this.#clock = new RecordingClock(startedAt)
  }

  /** Throws when the recording can't be written. */
  static async open(path: string, { title, startedAt }: { title: string; startedAt: Date }): Promise<StatementLog> {
    const timestamp = Math.floor(startedAt.getTime() / 1000)
    return new StatementLog(
      await RecordingFile.open(path, { version: 1, kind: 'statements', timestamp, title }),
      startedAt,
    )
  }

  get path(): string {
    return this.#writer.path
  }

  /** See `RecordingWriter`. */
  set onFailure(then: (error: Error) => void) {
    this.#writer.onFailure = then
  }

  /** See `RecordingWriter`. */
  set onDrain(then: () => void) {
    this.#writer.onDrain = () => {
      this.#isBehind = false
      then()
    }
  }

  /** Each answers false when the disk can't keep up: wait for `onDrain`. */
  statement(number: number, text: string): boolean {
    return this.#add(text.length, ['statement', number, text.slice(0, STATEMENT_CHARACTERS), text.length])
  }

  answer(number: number, outcome: Outcome): boolean {
    return this.#add(outcome.error?.length ?? 0, ['answer', number, outcome])
  }

  refused(text: string, why: string): boolean {
    return this.#add(text.length, ['refused', text.slice(0, STATEMENT_CHARACTERS), why])
  }

  notice(text: string): boolean {
    return this.#add(text.length, ['notice', text])
  }

  #add(characters: number, values: readonly unknown[]): boolean {
    this.#characters += characters
    const count = this.#events.push({ milliseconds: this.#clock.milliseconds, values })
    if (count >= LINES_AT_ONCE || this.#characters >= CHARACTERS_AT_ONCE) this.#write()
    else
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined
        this.#write()
      }, LINES_MS)
    return !this.#isBehind
  }

  #write(): void {
    if (!this.#events.length) return
    const lines = this.#events.map(lineOf).join('')
    this.#events = []
    this.#characters = 0
    if (!this.#writer.append(lines)) this.#isBehind = true
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#write()
  }

  close(): Promise<void> {
    this.#stop()
    return this.#writer.close()
  }

  discard(): Promise<void> {
    this.#stop()
    return this.#writer.discard()
  }
}

function lineOf({ milliseconds, values }: Event): string {
  const rest = JSON.stringify(values)
  return `[${secondsText(milliseconds)},${rest.slice(1)}\n`
}
