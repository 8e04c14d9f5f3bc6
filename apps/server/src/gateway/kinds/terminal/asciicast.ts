import { RecordingClock } from '../../recording/recording-clock.ts'
import { RecordingFile, type RecordingWriter } from '../../recording/recording-file.ts'
import type { TerminalSize } from './streams.ts'

export interface AsciicastHeader {
  size: TerminalSize
  title: string
  startedAt: Date
  /** Monotonic clock, in milliseconds. */
  now?: () => number
}

/**
 * Records a session as asciicast v2 (https://docs.asciinema.org/manual/asciicast/v2/): a header,
 * then `[seconds, "o", text]` for each output and `[seconds, "r", "COLSxROWS"]` for each resize.
 * Bytes of an incomplete character wait for the rest of it.
 */
export class Asciicast {
  readonly #writer: RecordingWriter
  readonly #clock: RecordingClock
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })

  private constructor(writer: RecordingWriter, { startedAt, now }: AsciicastHeader) {
    this.#writer = writer
    this.#clock = new RecordingClock(startedAt, now)
  }

  /** Throws when the recording can't be written. */
  static async open(path: string, header: AsciicastHeader): Promise<Asciicast> {
    const { size, title, startedAt } = header
    const writer = await RecordingFile.open(path, {
      version: 2,
      width: size.cols,
      height: size.rows,
      timestamp: Math.floor(startedAt.getTime() / 1000),
      title,
      env: { SHELL: '/bin/bash', TERM: 'xterm-256color' },
    })
    return new Asciicast(writer, header)
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

  /**
   * Records output. `ready` is false when the disk can't keep up: pause the machine until
   * `onDrain`. Answers the decoded text for others who need it.
   */
  output(bytes: Buffer): { text: string; ready: boolean } {
    const text = this.#decoder.decode(bytes, { stream: true })
    return { text, ready: this.#event('o', text) }
  }

  resize({ cols, rows }: TerminalSize): void {
    this.#event('r', `${cols}x${rows}`)
  }

  #event(code: 'o' | 'r', data: string): boolean {
    return this.#writer.append(data ? `[${this.#clock.seconds},"${code}",${JSON.stringify(data)}]\n` : '')
  }

  /** See `RecordingWriter`. */
  written(): Promise<number> {
    return this.#writer.written()
  }

  async close(): Promise<void> {
    const rest = this.#decoder.decode()
    if (rest) this.#event('o', rest)
    await this.#writer.close()
  }

  async discard(): Promise<void> {
    await this.#writer.discard()
  }
}
