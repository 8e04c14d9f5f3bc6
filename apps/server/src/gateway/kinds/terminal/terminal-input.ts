import type { Grounds } from '../../guard/guard.ts'
import { type Denial, InputGate, UNJUDGED } from '../../guard/input-gate.ts'
import type { Typist } from '../../session/typist.ts'
import { DeniedPaste } from './denied-paste.ts'
import { LineJudge, type LineJudgeOptions, type RefusedLine } from './line-judge.ts'
import { CONTROL_D, isBegun, RunningKeys, type Runs } from './running-keys.ts'

export interface TerminalInputOptions extends LineJudgeOptions {
  onFault(error: unknown): void
  /** Later input waits for the promise, if there is one. */
  send(bytes: Buffer, by: Typist | undefined, grounds?: Grounds): Promise<void> | undefined
  /**
   * The end of the line was not sent; what the machine has of it must be cleared. What follows waits
   * for the promise, if there is one.
   */
  refuse(denial: Denial, line: RefusedLine): Promise<void> | undefined
}

const CONTROL_C = 0x03
/** They have a terminal's output stopped, and go on (XOFF, XON). */
const CONTROL_S = 0x13
const CONTROL_Q = 0x11

const DISCARDED: Denial = { ...UNJUDGED }
/**
 * A person's input to a terminal, on its way to the machine: everything is sent as it is typed, but
 * the end of a line is held until the line is judged, and all input behind it waits.
 */
export class TerminalInput {
  readonly #options: TerminalInputOptions
  readonly #gate: InputGate
  readonly #judge: LineJudge
  readonly #keys = new RunningKeys()
  readonly #deniedPaste = new DeniedPaste()
  /** The last byte that was sent. */
  #newest = 0

  constructor(options: TerminalInputOptions) {
    this.#options = options
    this.#judge = new LineJudge(options)
    this.#gate = new InputGate({
      confirm: (confirmation, dropped) => this.#judge.confirm(confirmation, dropped),
      onFault: (error) => options.onFault(error),
    })
  }

  get isHolding(): boolean {
    return this.#gate.isHolding
  }

  get heldBytes(): number {
    return this.#gate.heldBytes
  }

  onceFree(then: () => void): void {
    this.#gate.onceFree(then)
  }

  /** Nobody writes into `bytes` any more. */
  take(bytes: Buffer, by: Typist | undefined): void {
    if (!this.#options.guard.applies && !this.#gate.isHolding) {
      this.#judge.forget()
      this.#pass(bytes, by)
      return
    }
    let from = 0
    for (let at = 0; at < bytes.length; at++) {
      const runs = this.#keys.take(bytes[at] as number)
      if (!runs) continue
      if (at > from) this.#pass(bytes.subarray(from, at), by)
      this.#runningKey(bytes.subarray(at, at + 1), runs, by)
      from = at + 1
    }
    if (from < bytes.length) this.#pass(bytes.subarray(from), by)
  }

  /** Nothing more is typed. */
  end(then: () => void): void {
    this.#gate.pass(0, () => void then())
  }

  /** Discards what is waiting. */
  drop(): void {
    this.#gate.drop()
    this.#judge.giveUp()
  }

  close(): void {
    this.#gate.close()
  }

  #pass(bytes: Buffer, by: Typist | undefined): void {
    this.#gate.pass(bytes.length, () => {
      if (this.#deniedPaste.takes(bytes)) return undefined
      this.#judge.sent(bytes)
      this.#noteStopped(bytes)
      if (bytes.includes(CONTROL_C)) this.#judge.giveUp()
      this.#newest = bytes.at(-1) ?? 0
      return this.#options.send(bytes, by)
    })
  }

  #noteStopped(bytes: Buffer): void {
    const stop = bytes.lastIndexOf(CONTROL_S)
    const goOn = bytes.lastIndexOf(CONTROL_Q)
    if (stop > goOn) this.#options.echo.stopped()
    else if (goOn >= 0) this.#options.echo.resumed()
  }

  #runningKey(key: Buffer, runs: Runs, by: Typist | undefined): void {
    const isPassedOn = key[0] === CONTROL_D
    this.#gate.submit(
      (dropped) => {
        if (this.#deniedPaste.isOn) return DISCARDED
        if (runs === 'others') return this.#judge.judgeOthers(by, dropped)
        if (runs === 'comment' || runs === 'substitutions') return this.#judge.judgePart(runs, by, dropped)
        return this.#judge.judge(isPassedOn, by, dropped)
      },
      key.length,
      (grounds) => {
        this.#judge.sent(runs === 'substitutions' ? key : undefined)
        this.#newest = key[0] ?? 0
        if (runs === 'line' && !isPassedOn) this.#judge.ran()
        return this.#options.send(key, by, grounds)
      },
      (denial) => {
        if (denial === DISCARDED) return undefined
        const line = this.#judge.refused(by)
        if (line.isPasting) this.#deniedPaste.begin()
        // Behind such a key those that clear a line would be others, which may run it.
        return this.#options.refuse(denial, isBegun(this.#newest) ? { ...line, hasRows: true } : line)
      },
    )
  }
}
