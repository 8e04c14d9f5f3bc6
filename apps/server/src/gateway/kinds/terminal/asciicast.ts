import { RecordingClock } from '../../recording/recording-clock.ts'
import { RecordingFile, type RecordingWriter } from '../../recording/recording-file.ts'
import type { TerminalSize } from './streams.ts'

export interface AsciicastHeader {
  size: TerminalSize
  title: string
  startedAt: Date
  /** Milliseconds that only go forward. */
  now?: () => number
}

/**
 * Writes a session down as asciicast v2 (https://docs.asciinema.org/manual/asciicast/v2/): a
 * header, then `[seconds, "o", text]` per output and `[seconds, "r", "COLSxROWS"]` per resize.
 * Bytes that are cut in the middle of a character wait for their rest.
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
   * Takes output. False when the disk is behind: pause the machine until `onDrain`. Answers the
   * text for whoever else wants it.
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
