import { judgeInTime } from '../../guard/ask-guard.ts'
import { RUNS_UNSEEN } from '../../guard/denial.ts'
import type { Confirmation, Decision, Grounds, Guard, Verdict } from '../../guard/guard.ts'
import { type Denial, InputGate } from '../../guard/input-gate.ts'
import { OpenQuotes } from '../../guard/shell/readings.ts'
import type { Typist } from '../../session/typist.ts'
import { editsLines } from './commands/edits-lines.ts'
import { OpenCommand } from './commands/open-command.ts'
import type { SentLine } from './line-judge.ts'

/** Longest line that can be judged, in bytes. */
const LINE_MAX = 64 * 1024
const LINE_FEED = 0x0a
/** Characters that a line editor takes for keys of its own. */
const KEYS = /[^\x20-\x7e]/
const NOT_SENT: Verdict = { action: 'deny', why: RUNS_UNSEEN }

export interface PlainInputOptions {
  /** The command line of the program that reads it; undefined for the login shell. */
  program: string | undefined
  guard: Guard
  /** As of a gate; who is to be asked is who typed the line. */
  confirm(confirmation: Confirmation, line: SentLine, dropped: AbortController): Promise<Decision>
  onFault(error: unknown): void
  /** Later input waits for the promise, if there is one. */
  send(bytes: Buffer, by: Typist | undefined, grounds?: Grounds): Promise<void> | undefined
  /** The text was not sent. */
  refuse(denial: Denial, line: SentLine): void
}

/**
 * Input of a shell without a terminal: each line is held until it is judged, then sent as it came.
 */
export class PlainInput {
  readonly #options: PlainInputOptions
  readonly #gate: InputGate
  #line: Buffer[] = []
  #lineBytes = 0
  /** The beginning of the line has gone already, so that it can't be judged whole. */
  #isRest = false
  readonly #command = new OpenCommand()
  readonly #quotes = new OpenQuotes()
  /** A line editor may read what comes next. */
  #isEdited: boolean
  /** The line that was judged last. */
  #judged: SentLine = { text: '', by: undefined }

  constructor(options: PlainInputOptions) {
    this.#options = options
    this.#isEdited = editsLines(options.program)
    this.#gate = new InputGate({
      confirm: (confirmation, dropped) => options.confirm(confirmation, this.#judged, dropped),
      onFault: (error) => options.onFault(error),
    })
  }

  get isHolding(): boolean {
    return this.#gate.isHolding
  }

  get heldBytes(): number {
    return this.#gate.heldBytes + this.#lineBytes
  }

  onceFree(then: () => void): void {
    this.#gate.onceFree(then)
  }

  take(bytes: Buffer, by: Typist | undefined): void {
    if (!this.#options.guard.applies && !this.#gate.isHolding && !this.#lineBytes) {
      if (bytes.length) this.#isRest = bytes.at(-1) !== LINE_FEED
      this.#gate.pass(bytes.length, () => this.#options.send(bytes, by))
      return
    }
    let from = 0
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, from)) {
      this.#keep(bytes.subarray(from, end + 1))
      this.#lineEnd(by)
      from = end + 1
    }
    if (from < bytes.length) this.#keep(bytes.subarray(from))
    // However long it gets, it can't be judged.
    if (this.#lineBytes > LINE_MAX) this.#lineEnd(by)
  }

  /** Nothing more is sent: text without a line end counts as a line. */
  end(then: () => void): void {
    if (this.#lineBytes) this.#lineEnd(undefined)
    this.#gate.pass(0, () => void then())
  }

  /** Discards what is waiting. */
  drop(): void {
    this.#gate.drop()
  }

  close(): void {
    this.#gate.close()
  }

  #keep(bytes: Buffer): void {
    this.#line.push(Buffer.from(bytes))
    this.#lineBytes += bytes.length
  }

  #lineEnd(by: Typist | undefined): void {
    const { guard, send, refuse } = this.#options
    const line = Buffer.concat(this.#line)
    this.#line = []
    this.#lineBytes = 0
    const isCut = line.length > LINE_MAX || this.#isRest
    this.#isRest = line.at(-1) !== LINE_FEED
    const text = line
      .subarray(0, LINE_MAX)
      .toString()
      .replace(/\r?\n$/, '')
    this.#gate.submit(
      (dropped) => {
        this.#judged = { text, by }
        const hasKeys = this.#isEdited && KEYS.test(text)
        const texts = [text, this.#command.with(text), ...this.#quotes.with(text)]
        const isProgram = !this.#isEdited
        const verdict = judgeInTime(guard, { texts, isCut: isCut || this.#command.isCut, isProgram, by }, dropped)
        // Before it has judged once, nobody knows whether a rule is about this session.
        const decided = (one: Verdict) => (hasKeys && one.action !== 'deny' && guard.applies ? NOT_SENT : one)
        return verdict instanceof Promise ? verdict.then(decided) : decided(verdict)
      },
      line.length,
      (grounds) => {
        this.#command.add(text)
        this.#quotes.add(text)
        if (guard.applies) this.#isEdited ||= editsLines(text)
        return send(line, by, grounds)
      },
      (denial) => refuse(denial, { text, by }),
    )
  }
}
