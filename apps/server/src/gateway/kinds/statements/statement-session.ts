import { judgeInTime, requestInTime } from '../../guard/ask-guard.ts'
import type { Guard } from '../../guard/guard.ts'
import { type Denial, InputGate } from '../../guard/input-gate.ts'
import { type BegunCommand, DENIED_RISK, onceWritten } from '../../session/command-log.ts'
import { LiveSession, type LiveSessionParts, type StreamEnd } from '../../session/live-session.ts'
import { type Notice, notice, wordsOf } from '../../session/notice.ts'
import type { StatementLog } from './statement-log.ts'
import type { Outcome, Statement, StatementOwner, StatementTarget } from './streams.ts'

export interface StatementSessionParts extends LiveSessionParts {
  owner: StatementOwner
  target: StatementTarget
  recording: StatementLog
  guard: Guard
}

/**
 * Of a statement, so much is in its command row (contract/gateway.yaml command_parsing.stored); the
 * recording has more.
 */
const INPUT_MAX = 128
const OUTPUT_MAX = 1024

/** Somebody who looks on sees statements and what became of them, as lines. */
export interface StatementWatcher {
  line(text: string): void
  close(): void
}

const LOCKED: Denial = {
  action: 'deny',
  why: notice('locked', 'The input of this session is locked', {}, 'urgent'),
}

interface Running {
  number: number
  /** See `BeginCommand`. */
  end(output: string): void
}

/**
 * One statement at a time, exact: each is held until the guard has answered, sent on as it came,
 * and written down with its outcome.
 */
export class StatementSession extends LiveSession {
  readonly kind = 'statements'
  readonly #parts: StatementSessionParts
  readonly #gate: InputGate
  readonly #watchers = new Set<StatementWatcher>()
  /** Sent on and not answered yet, in their order. */
  readonly #running: Running[] = []
  #count = 0

  constructor(parts: StatementSessionParts) {
    super(parts)
    this.#parts = parts
    const { target } = parts
    this.#gate = new InputGate({
      confirm: async (confirmation, dropped) => {
        const { told, decision } = await requestInTime(confirmation, dropped)
        if (!dropped.signal.aborted) this.tell(told)
        return decision
      },
      onFault: (error) => this.log.error({ err: error, session: this.id }, 'the guard failed'),
    })
    target.start(
      (bytes, outcome) => this.#answered(bytes, outcome),
      (end) => void this.endedByTarget(end),
    )
  }

  /** Bytes that wait, for the guard or for the server. */
  get pendingInput(): number {
    return this.#gate.heldBytes + this.#parts.target.pending()
  }

  /**
   * What the person asks for. Of a locked session every statement is refused, so that the client
   * stays in step.
   */
  submit(statement: Statement): void {
    if (this.isOver) return
    this.touch()
    if (this.isLocked) {
      this.#refuse(statement, LOCKED.why)
      return
    }
    this.#gate.submit(
      (dropped) => judgeInTime(this.#parts.guard, { texts: [statement.text], isCut: false }, dropped),
      statement.bytes.length,
      (grounds) => this.#send(statement, grounds),
      (denial) => this.#denied(statement, denial),
    )
  }

  /** What runs now is broken off, also while another statement is held. */
  cancel(): void {
    if (!this.isOver) this.#parts.target.cancel()
  }

  /**
   * Shows what comes from now on to somebody else. Answers how to stop; undefined when the session
   * is over.
   */
  watch(watcher: StatementWatcher): (() => void) | undefined {
    if (this.isOver) return undefined
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  /** Nothing becomes complete by itself: every answer has an end. */
  settle(): void {}

  protected say(what: Notice): void {
    const words = wordsOf(what, this.person.language)
    this.#written(this.#parts.recording.notice(words))
    this.#parts.owner.tell(what)
    this.#show(words)
  }

  /** What is held is answered too. */
  protected onLocked(): void {
    this.#gate.drop(LOCKED)
  }

  protected release(end: StreamEnd): void {
    const { target, owner } = this.#parts
    this.#gate.close()
    if (this.#running.length) target.cancel()
    for (const one of this.#running.splice(0)) one.end('')
    target.close()
    for (const watcher of this.#watchers) watcher.close()
    owner.close(end)
  }

  /** It is in the journal before it goes out. */
  #send(statement: Statement, grounds: BegunCommand['grounds']): Promise<void> | undefined {
    const { commands, recording, target } = this.#parts
    const number = ++this.#count
    const end = commands.begin({ ...this.#commandOf(statement), grounds })
    this.#running.push({ number, end })
    this.#written(recording.statement(number, statement.text))
    this.#show(statement.text)
    return onceWritten(commands, () => {
      if (!this.isOver) target.send(statement)
    })
  }

  #commandOf({ text }: Statement): BegunCommand {
    return { input: text.slice(0, INPUT_MAX), timestamp: Math.floor(this.now() / 1000) }
  }

  #denied(statement: Statement, denial: Denial): void {
    if (denial !== LOCKED)
      this.#parts.commands.begin({ ...this.#commandOf(statement), risk: DENIED_RISK, grounds: denial.grounds })('')
    this.#refuse(statement, denial.why)
  }

  #refuse(statement: Statement, why: Notice): void {
    const words = wordsOf(why, this.person.language)
    this.#written(this.#parts.recording.refused(statement.text, words))
    this.#show(`${statement.text}\n${words}`)
    this.#parts.owner.refuse(statement, why)
  }

  #answered(bytes: Buffer, outcome: Outcome | undefined): void {
    if (this.isOver) return
    this.touch()
    if (bytes.length && !this.#parts.owner.write(bytes)) this.hold('owner')
    const done = outcome && this.#running.shift()
    if (!done) return
    this.#written(this.#parts.recording.answer(done.number, outcome))
    done.end(textOf(outcome).slice(0, OUTPUT_MAX))
    this.#show(textOf(outcome))
  }

  #show(text: string): void {
    for (const watcher of this.#watchers) watcher.line(text)
  }

  #written(isReady: boolean): void {
    if (!isReady) this.hold('disk')
  }
}

/** In a line, for the commands list and for those who look on. */
function textOf({ rows, error }: Outcome): string {
  return error ?? (rows === undefined ? '' : `${rows} rows`)
}
