import type { Guard } from '../../guard/guard.ts'
import { InputGate } from '../../guard/input-gate.ts'
import type { Notice } from '../../session/notice.ts'
import type { Typist } from '../../session/typist.ts'

/** Longest line that is kept for the guard, in bytes. */
const LINE_MAX = 64 * 1024
const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a

export interface GuardedInputOptions {
  guard: Guard
  /**
   * With a terminal, typing is echoed as it happens and only the end of a line is held; without one
   * the whole line is.
   */
  isTerminal: boolean
  /** What follows waits for the promise, if there is one. */
  send(bytes: Buffer, by: Typist | undefined): Promise<void> | undefined
  /** The line was not sent; the part that the target has already must be cleared. */
  refuse(why: Notice): void
  tell(what: Notice): void
  onFault(error: unknown): void
}

/**
 * Cuts what a person types into lines and holds each until the guard has answered. Bytes are sent
 * as they were typed, in order.
 */
export class GuardedInput {
  readonly #options: GuardedInputOptions
  readonly #gate: InputGate
  /** The line that is being typed. */
  #line: Buffer[] = []
  #lineBytes = 0
  #isCut = false

  constructor(options: GuardedInputOptions) {
    this.#options = options
    this.#gate = new InputGate(options)
  }

  get heldBytes(): number {
    return this.#gate.heldBytes + (this.#options.isTerminal ? 0 : this.#lineBytes)
  }

  onceFree(then: () => void): void {
    this.#gate.onceFree(then)
  }

  take(bytes: Buffer, by: Typist | undefined): void {
    if (!this.#options.guard.applies && !this.#gate.isHolding && !this.#lineBytes) {
      // If a rule begins to apply in the middle of a line, that line was not seen in full.
      this.#isCut = bytes.length > 0 ? !this.#endsLine(bytes.at(-1)) : this.#isCut
      this.#gate.pass(bytes.length, () => this.#options.send(bytes, by))
      return
    }
    let from = 0
    for (let at = 0; at < bytes.length; at++) {
      if (!this.#endsLine(bytes[at])) continue
      this.#typed(bytes.subarray(from, at), by)
      this.#lineEnd(bytes.subarray(at, at + 1), by)
      from = at + 1
    }
    this.#typed(bytes.subarray(from), by)
  }

  /** Nothing more is typed: text without a line end counts as a line. */
  end(then: () => void): void {
    if (!this.#options.isTerminal && this.#lineBytes) this.#lineEnd(Buffer.alloc(0), undefined)
    this.#gate.pass(0, () => void then())
  }

  /** Discards what is waiting. */
  drop(): void {
    this.#gate.drop()
  }

  close(): void {
    this.#gate.close()
  }

  #endsLine(byte: number | undefined): boolean {
    return byte === LINE_FEED || (this.#options.isTerminal && byte === CARRIAGE_RETURN)
  }

  #typed(bytes: Buffer, by: Typist | undefined): void {
    if (!bytes.length) return
    this.#keep(bytes)
    if (this.#options.isTerminal) this.#gate.pass(bytes.length, () => this.#options.send(bytes, by))
  }

  #keep(bytes: Buffer): void {
    // Without a terminal the whole line is sent from here: all of it is kept, and the listener
    // stops reading.
    if (this.#options.isTerminal && this.#lineBytes + bytes.length > LINE_MAX) this.#isCut = true
    else {
      this.#line.push(Buffer.from(bytes))
      this.#lineBytes += bytes.length
    }
  }

  #lineEnd(end: Buffer, by: Typist | undefined): void {
    const line = Buffer.concat(this.#line)
    const isCut = this.#isCut || line.length > LINE_MAX
    const unit = { text: line.subarray(0, LINE_MAX).toString(), isCut, by }
    this.#line = []
    this.#lineBytes = 0
    this.#isCut = false
    const sent = this.#options.isTerminal ? Buffer.from(end) : Buffer.concat([line, end])
    this.#gate.submit(
      unit,
      sent.length,
      () => this.#options.send(sent, by),
      (why) => this.#options.refuse(why),
    )
  }
}
