import { RecordingClock } from '../../recording/recording-clock.ts'
import { RecordingFile, type RecordingWriter } from '../../recording/recording-file.ts'
import type { Outcome } from './streams.ts'

/** Longest statement that is recorded in full; of a longer one the beginning and its length are. */
export const STATEMENT_CHARACTERS = 64 * 1024

/**
 * Records a session of statements, one JSON array a line: `[seconds, "statement", number, text,
 * length]` when it was sent on, `[seconds, "answer", number, outcome]`, `[seconds, "refused", text,
 * why]` and `[seconds, "notice", text]`. Numbers start at 1.
 */
export class StatementLog {
  readonly #writer: RecordingWriter
  readonly #clock: RecordingClock

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
    this.#writer.onDrain = then
  }

  /** Each answers false when the disk can't keep up: wait for `onDrain`. */
  statement(number: number, text: string): boolean {
    return this.#add('statement', number, text.slice(0, STATEMENT_CHARACTERS), text.length)
  }

  answer(number: number, outcome: Outcome): boolean {
    return this.#add('answer', number, outcome)
  }

  refused(text: string, why: string): boolean {
    return this.#add('refused', text.slice(0, STATEMENT_CHARACTERS), why)
  }

  notice(text: string): boolean {
    return this.#add('notice', text)
  }

  #add(event: string, ...values: unknown[]): boolean {
    return this.#writer.append(
      `[${this.#clock.seconds},${[event, ...values].map((value) => JSON.stringify(value)).join(',')}]\n`,
    )
  }

  close(): Promise<void> {
    return this.#writer.close()
  }

  discard(): Promise<void> {
    return this.#writer.discard()
  }
}
