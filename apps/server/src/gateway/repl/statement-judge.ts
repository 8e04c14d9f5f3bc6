import { judgeInTime, unitsOf } from '../guard/ask-guard.ts'
import type { Decision, Grounds } from '../guard/guard.ts'
import { UNJUDGED } from '../guard/input-gate.ts'
import { readingsOf } from '../kinds/statements/readings-of.ts'
import { OUTPUT_MAX, RunningStatement, statementCommand } from '../kinds/statements/running-statement.ts'
import type { Outcome, Statement } from '../kinds/statements/streams.ts'
import { confirmWith } from '../kinds/terminal/confirmation-dialogue.ts'
import type { Desk } from '../kinds/terminal/streams.ts'
import { TerminalDialogue } from '../kinds/terminal/terminal-dialogue.ts'
import { DENIED_RISK, onceWritten } from '../session/command-log.ts'
import type { Notice } from '../session/notice.ts'
import type { Typist } from '../session/typist.ts'
import type { Passage, PromptWire } from './link.ts'

/** Keys that withdraw what others were asked. */
const LEAVES: ReadonlySet<string> = new Set(['\x03', '\x04'])
/** A longer statement is not judged, as of any client of the database. */
const JUDGED_BYTES = 1024 * 1024

/** A statement that somebody typed. */
export interface Typed {
  text: string
  by: Typist | undefined
}

/** A statement that may be run. */
export interface Admitted extends Typed {
  grounds: Grounds | undefined
}

/** Judges what is typed at a prompt, and writes down what is run, as of any client of the database. */
export class StatementJudge {
  readonly #desk: Desk
  readonly #show: (text: string) => void
  readonly #columns: () => number
  #dropped: AbortController | undefined
  /** Somebody is asked, or waits for others. */
  #asking: { dialogue: TerminalDialogue; by: Typist | undefined } | undefined
  #running: RunningStatement | undefined

  constructor(desk: Desk, show: (text: string) => void, columns: () => number) {
    this.#desk = desk
    this.#show = show
    this.#columns = columns
  }

  /** Whether the statement may be run: a denied one has its row, and the person has seen why. */
  async admit(typed: Typed, wire: PromptWire): Promise<Admitted | undefined> {
    const { guard } = this.#desk
    // A guest may have gone since.
    if (!guard.applies && !typed.by) return { ...typed, grounds: undefined }
    const dropped = new AbortController()
    this.#dropped = dropped
    const decision = await this.#decide(typed, wire, dropped)
    this.#dropped = undefined
    if (decision.action === 'allow') return dropped.signal.aborted ? undefined : { ...typed, grounds: decision.grounds }
    // It has its row since it was withdrawn.
    if (decision.why.code !== 'withdrawn') this.#noteNotRun(typed, wire, decision.grounds)
    this.#desk.tell(decision.why)
    return undefined
  }

  /** How an admitted statement is written down on its way. */
  passage({ by, grounds, text }: Admitted, wire: PromptWire): Passage {
    const { commands, elapsed, now } = this.#desk
    return {
      begins: (statement: Statement) => {
        const command = statementCommand(
          { text: statement.text, bytes: Buffer.byteLength(text) },
          { ...wire.place, database: statement.database ?? wire.place.database },
          now(),
        )
        const end = commands.begin({ ...command, by, grounds })
        const whole = statement.isCut ? { ...statement, text } : statement
        this.#running = new RunningStatement({ number: 0, statement: whole, end, now: elapsed })
        return onceWritten(commands, () => {})
      },
      forbidden: (statement) => {
        this.#noteNotRun({ text: statement.text, by }, wire, grounds)
        this.#desk.tell(statement.forbidden as Notice)
      },
      over: (outcome) => this.over(outcome),
    }
  }

  /** The running statement has ended. */
  over(outcome: Outcome): void {
    this.#running?.end(outcome, OUTPUT_MAX)
    this.#running = undefined
  }

  /** Takes what is typed while somebody is asked; false when nobody is. */
  input(bytes: Buffer, by: Typist | undefined): boolean {
    const asking = this.#asking
    if (!asking) return false
    if (by === undefined || by.id === asking.by?.id) asking.dialogue.input(bytes.toString())
    return true
  }

  /** Statements that wait for a judgment are not run. */
  drop(): void {
    this.#dropped?.abort()
  }

  async #decide(typed: Typed, wire: PromptWire, dropped: AbortController): Promise<Decision> {
    const { guard, log, session } = this.#desk
    try {
      const isCut = Buffer.byteLength(typed.text) > JUDGED_BYTES
      const readings = readingsOf(wire, typed.text, wire.othersOf?.(typed.text))
      const units = { ...unitsOf(typed.text, readings, isCut), by: typed.by }
      const verdict = await judgeInTime(guard, units, dropped.signal)
      if (verdict.action !== 'confirm') return verdict
      const dialogue = new TerminalDialogue(this.#show, LEAVES, this.#columns)
      this.#asking = { dialogue, by: typed.by }
      dropped.signal.addEventListener('abort', () => dialogue.close())
      return await confirmWith(dialogue, verdict, {
        language: this.#desk.person.language,
        dropped,
        tell: (what) => this.#desk.tell(what),
        onWithdrawn: (grounds) => this.#noteNotRun(typed, wire, grounds),
      })
    } catch (error) {
      if (!dropped.signal.aborted) log.error({ err: error, session }, 'the guard failed')
      return UNJUDGED
    } finally {
      this.#asking = undefined
    }
  }

  #noteNotRun({ text, by }: Typed, { place }: PromptWire, grounds: Grounds | undefined): void {
    const command = statementCommand({ text, bytes: Buffer.byteLength(text) }, place, this.#desk.now())
    this.#desk.commands.begin({ ...command, by, risk: DENIED_RISK, grounds })('')
  }
}
