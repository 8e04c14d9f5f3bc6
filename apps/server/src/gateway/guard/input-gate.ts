import { inBackground } from '../../kernel/background.ts'
import { Queue } from '../../kernel/queue.ts'
import { notice } from '../session/notice.ts'
import type { Confirmation, Decision, GivenUp, Grounds, Verdict } from './guard.ts'

export type Denial = Extract<Decision, { action: 'deny' }>

export interface GateOptions {
  /**
   * Has others asked, and answers what they decide. Aborting `dropped` withdraws it; it is aborted
   * when nobody waits any more.
   */
  confirm(confirmation: Confirmation, dropped: AbortController): Promise<Decision>
  /** The guard failed; what it should have judged counts as denied. */
  onFault(error: unknown): void
}

/** Asked when it is the piece's turn: all before it has been sent. */
type Judge = (dropped: AbortSignal) => Verdict | Promise<Verdict>
/** Turns a piece away; what follows waits for the promise, if it answers one, which is never rejected. */
type Refuse = (denial: Denial) => unknown
/** Sends a piece; what follows waits for the promise, if it answers one, which is never rejected. */
type Send = (grounds?: Grounds) => unknown

interface Piece {
  bytes: number
  /** Undefined for input that needs no answer and only keeps its place. */
  judge?: Judge
  send: Send
  refuse?: Refuse
}

/** A denial of what could not be judged. */
export const UNJUDGED: Denial = {
  action: 'deny',
  why: notice('unjudged', 'This could not be checked against the rules, so it was not run', {}, 'urgent'),
}

/**
 * The input of a person on its way to the target: each unit is held until it is judged, and all
 * input behind it waits. Nothing is lost or overtaken, and only this session waits. Input that is
 * judged at once holds nothing, nor does input that is sent at once.
 */
export class InputGate {
  readonly #options: GateOptions
  readonly #waiting = new Queue<Piece>()
  readonly #onFree: (() => void)[] = []
  #bytes = 0
  #held: { piece: Piece; dropped: AbortController } | undefined
  /** A piece is on its way out, or being turned away: it can't be dropped any more. */
  #isSending = false
  #isClosed = false
  /** For the next piece that has to wait: most need none. */
  #unused: AbortController | undefined

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
   * Sends the unit, `bytes` long, when it is its turn and it may pass; otherwise it is refused.
   */
  submit(judge: Judge, bytes: number, send: Send, refuse: Refuse): void {
    this.#add({ judge, bytes, send, refuse })
  }

  /**
   * Sends, in its turn, what needs no answer. `refuse`: when it is dropped with a reason.
   */
  pass(bytes: number, send: Send, refuse?: Refuse): void {
    this.#add(refuse ? { bytes, send, refuse } : { bytes, send })
  }

  /** Refuses the unit that waits for its answer; what follows goes on. False when none does. */
  refuseHeld(denial: Denial): boolean {
    const held = this.#held
    if (!held) return false
    held.dropped.abort()
    this.#held = undefined
    this.#bytes -= held.piece.bytes
    this.#refuse(held.piece, denial)
    this.#goOn()
    return true
  }

  /** Calls back once nothing is waiting any more. */
  onceFree(then: () => void): void {
    if (this.isHolding || this.#waiting.length) this.#onFree.push(then)
    else then()
  }

  /**
   * Sends nothing of what is waiting. With a reason each unit is refused, so that a client that
   * waits for answers gets them, in their turn.
   */
  drop(denial?: Denial): void {
    if (denial && this.#isSending) {
      for (const piece of this.#waiting.all())
        Object.assign(piece, { judge: undefined, send: () => piece.refuse?.(denial) })
      return
    }
    const dropped = [...(this.#held ? [this.#held.piece] : []), ...this.#waiting.all()]
    this.#waiting.clear()
    this.#held?.dropped.abort(this.#isClosed ? ('session' satisfies GivenUp) : undefined)
    this.#held = undefined
    for (const { bytes } of dropped) this.#bytes -= bytes
    if (denial) for (const { refuse } of dropped) refuse?.(denial)
    if (!this.isHolding) this.#notifyFree()
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
    if (!piece.judge) {
      this.#send(piece)
      return
    }
    this.#unused ??= new AbortController()
    const dropped = this.#unused
    const verdict = this.#judge(piece.judge, dropped.signal)
    if (verdict instanceof Promise || verdict.action === 'confirm') {
      this.#unused = undefined
      this.#hold(piece, verdict, dropped)
    } else this.#obey(piece, verdict)
  }

  #judge(judge: Judge, dropped: AbortSignal): ReturnType<Judge> {
    try {
      return judge(dropped)
    } catch (error) {
      return this.#fault(error)
    }
  }

  #hold(piece: Piece, verdict: ReturnType<Judge>, dropped: AbortController): void {
    const held = { piece, dropped }
    this.#held = held
    this.#bytes += piece.bytes
    inBackground(
      this.#decide(verdict, dropped).then((decision) => {
        if (this.#held !== held) return
        this.#bytes -= piece.bytes
        this.#obey(piece, decision)
        // Handling the refusal, or the target's answer, may have closed the gate.
        if (this.#held !== held) return
        this.#held = undefined
        this.#goOn()
      }),
    )
  }

  async #decide(answer: ReturnType<Judge>, dropped: AbortController): Promise<Decision> {
    try {
      const verdict = await answer
      return verdict.action === 'confirm' ? await this.#options.confirm(verdict, dropped) : verdict
    } catch (error) {
      return dropped.signal.aborted ? UNJUDGED : this.#fault(error)
    }
  }

  #fault(error: unknown): Decision {
    this.#options.onFault(error)
    return UNJUDGED
  }

  #obey(piece: Piece, decision: Decision): void {
    if (decision.action === 'deny') this.#refuse(piece, decision)
    else this.#send(piece, decision.grounds)
  }

  #refuse({ refuse }: Piece, denial: Denial): void {
    const refused = refuse?.(denial)
    if (refused instanceof Promise) this.#waitFor(refused, 0)
  }

  #send({ bytes, send }: Piece, grounds?: Grounds): void {
    const sent = send(grounds)
    if (sent instanceof Promise) this.#waitFor(sent, bytes)
  }

  #waitFor(sent: Promise<unknown>, bytes: number): void {
    this.#isSending = true
    this.#bytes += bytes
    inBackground(
      sent.finally(() => {
        this.#isSending = false
        this.#bytes -= bytes
        this.#goOn()
      }),
    )
  }

  #goOn(): void {
    while (!this.isHolding && this.#waiting.length) {
      const next = this.#waiting.shift() as Piece
      this.#bytes -= next.bytes
      this.#take(next)
    }
    if (!this.isHolding) this.#notifyFree()
  }

  #notifyFree(): void {
    for (const then of this.#onFree.splice(0)) then()
  }
}
