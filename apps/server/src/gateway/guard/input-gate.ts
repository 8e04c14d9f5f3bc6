import { type Notice, notice } from '../session/notice.ts'
import type { Decision, Guard, Unit } from './guard.ts'

export interface GateOptions {
  guard: Guard
  /** Tells the person while they wait. */
  tell(what: Notice): void
  /** The guard failed; the unit counts as denied. */
  onFault(error: unknown): void
}

const ALLOWED: Decision = { action: 'allow' }

interface Piece {
  bytes: number
  /** Undefined for input that needs no answer and only keeps its place. */
  unit?: Unit
  send: Send
  refuse?(why: Notice): void
}

/** Sends a piece; what follows waits for the promise, if there is one, which is never rejected. */
type Send = () => Promise<void> | undefined

/**
 * What a person sends, on its way to the target: each unit is held until the guard has answered,
 * and whatever follows waits behind it. Nothing is lost or overtaken, and only this session waits.
 * A guard that answers at once holds nothing, nor does what is sent at once.
 */
export class InputGate {
  readonly #options: GateOptions
  readonly #waiting: Piece[] = []
  readonly #onFree: (() => void)[] = []
  #bytes = 0
  #held: { piece: Piece; dropped: AbortController } | undefined
  /** A piece is on its way out: it can't be dropped any more. */
  #isSending = false
  #isClosed = false

  constructor(options: GateOptions) {
    this.#options = options
  }

  /** Whether a unit is waiting for its answer, or to be sent. */
  get isHolding(): boolean {
    return this.#held !== undefined || this.#isSending
  }

  /** Bytes that are waiting here. */
  get heldBytes(): number {
    return this.#bytes
  }

  /**
   * Sends the unit, `bytes` long, when it is its turn and the guard allows it; otherwise it is
   * refused.
   */
  submit(unit: Unit, bytes: number, send: Send, refuse: (why: Notice) => void): void {
    this.#add({ unit, bytes, send, refuse })
  }

  /** Sends, in its turn, what needs no answer. */
  pass(bytes: number, send: Send): void {
    this.#add({ bytes, send })
  }

  /** Calls back once nothing is waiting any more. */
  onceFree(then: () => void): void {
    if (this.isHolding || this.#waiting.length) this.#onFree.push(then)
    else then()
  }

  /**
   * Sends nothing of what is waiting. With a reason each unit is refused, so that a client that
   * waits for answers gets them.
   */
  drop(why?: Notice): void {
    const dropped = [...(this.#held ? [this.#held.piece] : []), ...this.#waiting.splice(0)]
    this.#held?.dropped.abort()
    this.#held = undefined
    for (const { bytes } of dropped) this.#bytes -= bytes
    if (why) for (const { refuse } of dropped) refuse?.(why)
    if (!this.isHolding) this.#tellFree()
  }

  close(): void {
    this.#isClosed = true
    this.drop()
  }

  #add(piece: Piece): void {
    if (this.#isClosed) return
    if (this.isHolding || this.#waiting.length) {
      this.#waiting.push(piece)
      this.#bytes += piece.bytes
    } else this.#take(piece)
  }

  #take(piece: Piece): void {
    const dropped = new AbortController()
    const verdict = piece.unit ? this.#judge(piece.unit, dropped.signal) : ALLOWED
    if (verdict instanceof Promise || verdict.action === 'confirm') this.#hold(piece, verdict, dropped)
    else this.#obey(piece, verdict)
  }

  #judge(unit: Unit, dropped: AbortSignal): ReturnType<Guard['judge']> {
    try {
      return this.#options.guard.judge(unit, dropped)
    } catch (error) {
      return this.#fault(error)
    }
  }

  #hold(piece: Piece, verdict: ReturnType<Guard['judge']>, dropped: AbortController): void {
    this.#held = { piece, dropped }
    this.#bytes += piece.bytes
    void this.#decide(verdict, dropped.signal).then((decision) => {
      if (dropped.signal.aborted) return
      this.#bytes -= piece.bytes
      this.#obey(piece, decision)
      // Handling the refusal, or the target's answer, may have closed the gate.
      if (dropped.signal.aborted) return
      this.#held = undefined
      this.#goOn()
    })
  }

  async #decide(answer: ReturnType<Guard['judge']>, dropped: AbortSignal): Promise<Decision> {
    try {
      const verdict = await answer
      if (verdict.action !== 'confirm') return verdict
      const { told, decision } = await verdict.request()
      if (!dropped.aborted) this.#options.tell(told)
      return await decision
    } catch (error) {
      return this.#fault(error)
    }
  }

  #fault(error: unknown): Decision {
    this.#options.onFault(error)
    return {
      action: 'deny',
      why: notice('unjudged', 'This could not be checked against the rules, so it was not run', {}, 'urgent'),
    }
  }

  #obey({ bytes, send, refuse }: Piece, decision: Decision): void {
    if (decision.action === 'deny') refuse?.(decision.why)
    else {
      const sent = send()
      if (sent) this.#waitFor(sent, bytes)
    }
  }

  #waitFor(sent: Promise<void>, bytes: number): void {
    this.#isSending = true
    this.#bytes += bytes
    void sent.then(() => {
      this.#isSending = false
      this.#bytes -= bytes
      this.#goOn()
    })
  }

  #goOn(): void {
    while (!this.isHolding && this.#waiting.length) {
      const next = this.#waiting.shift() as Piece
      this.#bytes -= next.bytes
      this.#take(next)
    }
    if (!this.isHolding) this.#tellFree()
  }

  #tellFree(): void {
    for (const then of this.#onFree.splice(0)) then()
  }
}
