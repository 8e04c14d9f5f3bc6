import type ssh2 from 'ssh2'
import type { TerminalDialogue } from '../../kinds/terminal/terminal-dialogue.ts'
import type { TerminalSession } from '../../kinds/terminal/terminal-session.ts'

/**
 * When more input than this is waiting, for the session or its machine, nothing more is read from
 * the client.
 */
const MAX_INPUT_BYTES = 512 * 1024

/**
 * Directs a client's input: to an open question, else to the machine, in order and without loss.
 */
export class ChannelInput {
  readonly #channel: ssh2.ServerChannel
  readonly #live: () => TerminalSession | undefined
  readonly #decoder = new TextDecoder('utf-8')
  #dialogue: TerminalDialogue | undefined
  /** Typed before the session began. */
  #ahead: Buffer[] = []
  #aheadBytes = 0

  constructor(channel: ssh2.ServerChannel, live: () => TerminalSession | undefined) {
    this.#channel = channel
    this.#live = live
  }

  toDialogue(dialogue: TerminalDialogue): void {
    this.#dialogue = dialogue
    this.#channel.on('data', this.#onData)
    this.#channel.once('close', this.#onClose)
  }

  toSession(live: TerminalSession): void {
    for (const bytes of this.#ahead.splice(0)) this.#toMachine(live, bytes)
    this.#channel.off('data', this.#onData)
    this.#channel.on('data', this.#onData)
    this.#channel.once('end', this.#onEnd)
    if (this.#channel.readableEnded) live.endInput()
    else if (live.pendingInput < MAX_INPUT_BYTES) this.#channel.resume()
  }

  stop(): void {
    this.#channel.off('data', this.#onData)
    this.#channel.off('end', this.#onEnd)
    this.#channel.off('close', this.#onClose)
    this.#channel.pause()
  }

  readonly #onData = (bytes: Buffer): void => {
    const live = this.#live()
    if (live) this.#toMachine(live, bytes)
    else if (this.#dialogue?.asking) this.#dialogue.input(this.#decoder.decode(bytes, { stream: true }))
    else this.#keep(bytes)
  }
  readonly #onEnd = (): void => this.#live()?.endInput()
  readonly #onClose = (): void => this.#dialogue?.close()

  #keep(bytes: Buffer): void {
    this.#ahead.push(bytes)
    this.#aheadBytes += bytes.length
    if (this.#aheadBytes > MAX_INPUT_BYTES) this.#channel.pause()
  }

  #toMachine(live: TerminalSession, bytes: Buffer): void {
    live.input(bytes)
    if (live.pendingInput < MAX_INPUT_BYTES || this.#channel.isPaused()) return
    this.#channel.pause()
    live.onceInputTaken(() => this.#channel.resume())
  }
}
