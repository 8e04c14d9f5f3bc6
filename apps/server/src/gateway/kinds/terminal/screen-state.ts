import type { FastifyBaseLogger } from 'fastify'
import { screenInThread } from '../../../domains/terminal/recording/index.ts'
import type { Asciicast } from './asciicast.ts'
import { Tail } from './output-tail.ts'
import type { TerminalSize } from './streams.ts'

/** Kept in memory: enough for a screen when there is no time for more. */
const TAIL_BYTES = 64 * 1024
/** Clears a terminal and resets all its modes (RIS). */
const RESET = '\x1bc'

/**
 * The screen of a session, for people who join later. Nothing is computed while output passes: the
 * whole screen is made from the recording, in a thread, when somebody asks for it.
 */
export class ScreenState {
  readonly #tail = new Tail(TAIL_BYTES)
  readonly #recording: Asciicast
  readonly #log: FastifyBaseLogger
  readonly #isTerminal: boolean

  constructor({ recording, log, isTerminal }: { recording: Asciicast; log: FastifyBaseLogger; isTerminal: boolean }) {
    this.#recording = recording
    this.#log = log
    this.#isTerminal = isTerminal
  }

  push(bytes: Buffer): void {
    this.#tail.push(bytes)
  }

  /**
   * Clears a terminal and shows the newest output. Available at once, but without earlier modes and
   * lines.
   */
  newest(fullScreen: boolean): Buffer {
    return Buffer.concat([Buffer.from(fullScreen ? `${RESET}\x1b[?1049h` : RESET), this.#tail.read()])
  }

  /**
   * Clears a terminal of the session's size and makes it equal to the session's at the time of the
   * call, with lines above the screen. All later output must follow. Undefined when it can't be
   * had; never throws.
   */
  async whole(size: TerminalSize, fullScreen: boolean): Promise<Buffer | undefined> {
    if (!this.#isTerminal) return undefined
    const rest = this.#tail.cutCharacter()
    try {
      const { path } = this.#recording
      const screen = await screenInThread({ path, upTo: await this.#recording.written(), size, fullScreen })
      return Buffer.concat([Buffer.from(RESET + screen), rest])
    } catch (error) {
      this.#log.info({ err: error }, 'the screen of a session could not be made')
      return undefined
    }
  }
}
