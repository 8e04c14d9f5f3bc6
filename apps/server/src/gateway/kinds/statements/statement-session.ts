import { inBackground } from '../../../kernel/background.ts'
import { judgeInTime, requestInTime, type Units, unitsOf } from '../../guard/ask-guard.ts'
import type { Confirmation, Decision, GivenUp, Guard, Verdict } from '../../guard/guard.ts'
import { type Denial, InputGate } from '../../guard/input-gate.ts'
import { type BegunCommand, DENIED_RISK } from '../../session/command-log.ts'
import { LiveSession, type LiveSessionParts, type StreamEnd } from '../../session/live-session.ts'
import { type Notice, notice, wordsOf } from '../../session/notice.ts'
import { readingsOf } from './readings-of.ts'
import { OUTPUT_MAX, RunningStatement, statementCommand, textOf } from './running-statement.ts'
import type { StatementLog } from './statement-log.ts'
import type { ClientWire, Outcome, Statement, StatementOwner, StatementTarget } from './streams.ts'

export interface StatementSessionParts extends LiveSessionParts {
  owner: StatementOwner
  target: StatementTarget
  recording: StatementLog
  guard: Guard
  /** See `StatementEnd`. */
  wire?: ClientWire | undefined
}

/** With more that the server has not answered, or with so many bytes of it, nothing more is read from the person. */
const MAX_RUNNING = 2000
const MAX_RUNNING_BYTES = 32 * 1024 * 1024
/** Somebody who looks on and has so much unread is left. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024

/** Somebody who looks on sees statements and what became of them, as lines. */
export interface StatementWatcher {
  line(text: string): void
  /** Bytes that were not sent yet. */
  backlog(): number
  close(): void
}

const LOCKED: Denial = {
  action: 'deny',
  why: notice('locked', 'The input of this session is locked', {}, 'urgent'),
}
const CANCELLED: Denial = {
  action: 'deny',
  why: notice('withdrawn', 'Cancelled', {}, 'urgent'),
}

/**
 * Statements, exact: each is held until the guard has answered, sent on as it came, and logged with
 * its outcome. Bytes between statements keep their place.
 */
export class StatementSession extends LiveSession {
  readonly kind = 'statements'
  readonly #parts: StatementSessionParts
  readonly #gate: InputGate
  readonly #watchers = new Set<StatementWatcher>()
  /** Sent on and not answered yet. */
  readonly #running = new Map<Statement, RunningStatement>()
  /** Statements of which nothing more is sent on. */
  readonly #refused = new WeakSet<Statement>()
  readonly #groundsOfPreparation = new WeakMap<Statement, BegunCommand['grounds']>()
  /** The one whose turn it is at the gate. */
  #judged: Statement | undefined
  #runningBytes = 0
  #onceAnswered: (() => void) | undefined
  #count = 0
  /** Output is collected and goes out together. */
  #isTogether = false

  constructor(parts: StatementSessionParts) {
    super(parts)
    this.#parts = parts
    const { target } = parts
    this.#gate = new InputGate({
      confirm: (confirmation, dropped) => this.#confirm(confirmation, dropped),
      onFault: (error) => this.log.error({ err: error, session: this.id }, 'the guard failed'),
    })
    target.start({
      answer: (bytes) => this.#answered(bytes),
      outcome: (statement, outcome) => this.#over(statement, outcome),
      end: (end) => inBackground(this.endedByTarget(end)),
    })
  }

  /** Bytes that wait, for the guard or for the server. */
  get pendingInput(): number {
    return this.#gate.heldBytes + this.#parts.target.pending()
  }

  /** Whether so much waits that nothing more should be read from the person. */
  isFull(bytes: number): boolean {
    return this.pendingInput >= bytes || this.#runs(MAX_RUNNING, MAX_RUNNING_BYTES)
  }

  #runs(many: number, bytes: number): boolean {
    return this.#running.size >= many || this.#runningBytes >= bytes
  }

  /** Calls back once nothing waits any more, and most is answered. */
  onceInputTaken(then: () => void): void {
    this.#gate.onceFree(() =>
      this.#parts.target.onceTaken(() => {
        if (this.#runs(MAX_RUNNING, MAX_RUNNING_BYTES)) this.#onceAnswered = then
        else then()
      }),
    )
  }

  /** Input within this call is logged by one system call, and goes out by one. */
  together(send: () => void): void {
    const { target } = this.#parts
    this.#isTogether = target.cork !== undefined
    target.cork?.()
    try {
      send()
    } finally {
      if (this.#isTogether) this.#goOut()
      this.#isTogether = false
    }
  }

  /**
   * Takes a statement of the person. In a locked session every statement is refused, so that the
   * client stays in step.
   */
  submit(statement: Statement): void {
    if (this.isOver) return
    this.touch()
    if (this.isLocked) {
      this.#gate.pass(statement.bytes.length, () => this.#refuse(statement, LOCKED.why))
      return
    }
    const send = (grounds?: BegunCommand['grounds']) => this.#send(statement, grounds)
    const refuse = (denial: Denial) => this.#denied(statement, denial)
    const { length } = statement.bytes
    const { forbidden, step } = statement
    if (forbidden) this.#gate.pass(length, () => refuse({ action: 'deny', why: forbidden }), refuse)
    else if (step?.is === 'judgedRun' || step?.is === 'part') this.#gate.pass(length, () => send(), refuse)
    else this.#gate.submit((dropped) => this.#judge(statement, dropped), length, send, refuse)
  }

  #judge(statement: Statement, dropped: AbortSignal): Verdict | Promise<Verdict> {
    const { step } = statement
    return step?.is === 'waitingRun'
      ? this.#judgePrepared(statement, step.until, dropped)
      : this.#judgeNow(statement, dropped)
  }

  async #judgePrepared(
    statement: Statement,
    until: Promise<Notice | undefined>,
    dropped: AbortSignal,
  ): Promise<Verdict> {
    const why = await until
    dropped.throwIfAborted()
    return why ? { action: 'deny', why } : this.#judgeNow(statement, dropped)
  }

  #judgeNow(statement: Statement, dropped: AbortSignal): Verdict | Promise<Verdict> {
    this.#judged = statement
    return judgeInTime(this.#parts.guard, this.#unitsOf(statement), dropped)
  }

  /** Takes bytes between statements, in their place. */
  pass(bytes: Buffer): void {
    if (this.isOver) return
    this.touch()
    const send = () => this.#parts.target.pass(bytes)
    this.#gate.pass(bytes.length, send, send)
  }

  /** More of a statement that is longer than its `bytes`. */
  goOn(statement: Statement, bytes: Buffer): void {
    if (this.isOver) return
    this.touch()
    const send = () => {
      if (this.#refused.has(statement)) return
      this.#running.get(statement)?.hash(bytes)
      this.#parts.target.pass(bytes)
    }
    this.#gate.pass(bytes.length, send, send)
  }

  /**
   * Breaks off the running statement; if there is none, those that wait for a judgment are refused.
   */
  cancel(): void {
    if (!this.isOver && !this.cancelHeld()) this.#parts.target.cancel()
  }

  /** Refuses those that wait for a judgment, if nothing runs; false when nothing waits. */
  cancelHeld(): boolean {
    return !this.isOver && !this.#running.size && this.#gate.refuseHeld(CANCELLED)
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

  /** Statements that are held are answered too. */
  protected onLocked(): void {
    this.#gate.drop(LOCKED)
  }

  protected release(end: StreamEnd): void {
    const { target, owner } = this.#parts
    this.#gate.close()
    if (this.#running.size) target.cancel()
    for (const one of this.#running.values()) one.end({})
    this.#running.clear()
    target.close()
    for (const watcher of this.#watchers) watcher.close()
    owner.close(end)
  }

  /** It is in the journal before it goes out. */
  #send(statement: Statement, grounds: BegunCommand['grounds']): Promise<void> | undefined {
    const { commands, target } = this.#parts
    const { step } = statement
    if (step?.is === 'part' || step?.is === 'preparation') {
      if (step.is === 'preparation') this.#groundsOfPreparation.set(statement, grounds)
      else if (this.#refused.has(step.of)) this.#refused.add(statement)
      target.send(statement)
      return undefined
    }
    const preparation = step?.is === 'judgedRun' ? step.preparation : undefined
    this.#begin(statement, grounds ?? (preparation && this.#groundsOfPreparation.get(preparation)))
    if (!commands.isHeldBack) {
      if (!this.#isTogether) commands.write()
      if (!this.isOver) target.send(statement)
      return undefined
    }
    // Those before it must not wait for its turn, which may come only once they are over.
    if (this.#isTogether) this.#goOut()
    return commands.written()?.then(() => {
      if (!this.isOver) target.send(statement)
    })
  }

  /** Sends what was logged by now. */
  #goOut(): void {
    const { commands, target } = this.#parts
    commands.write()
    if (!this.isOver) target.uncork?.()
  }

  #begin(statement: Statement, grounds?: BegunCommand['grounds']): void {
    const { commands, recording } = this.#parts
    const number = ++this.#count
    const command = this.#commandOf(statement)
    if (grounds) command.grounds = grounds
    const end = commands.beginTogether(command)
    this.#running.set(statement, new RunningStatement({ number, statement, end, now: this.elapsed }))
    this.#runningBytes += statement.bytes.length
    this.#written(recording.statement(number, statement.text))
    this.#show(statement.text)
  }

  /** Nothing is read where no rule applies. */
  #unitsOf({ text, others, isCut = false }: Statement): Units {
    const { guard, wire } = this.#parts
    return guard.applies && wire ? unitsOf(text, readingsOf(wire, text, others), isCut) : { texts: [text], isCut }
  }

  #commandOf({ text, bytes, database }: Statement): BegunCommand {
    const known = this.#parts.wire?.place
    const place = known && database !== undefined ? { database, program: known.program } : known
    return statementCommand({ text, bytes: bytes.length }, place, this.now())
  }

  /** Asks others. What nobody waits for any more meanwhile, as when the session ends, has a row too. */
  async #confirm(confirmation: Confirmation, dropped: AbortController): Promise<Decision> {
    const statement = this.#judged
    let { grounds } = confirmation
    const { signal } = dropped
    signal.addEventListener('abort', () => {
      const isDenied = signal.reason === ('fault' satisfies GivenUp)
      if (statement && !isDenied) this.#noteNotRun(statement, grounds)
    })
    const asked = await requestInTime(confirmation, dropped)
    grounds = asked.grounds ?? grounds
    if (!signal.aborted) this.tell(asked.message)
    const decision = await asked.decision
    const why = signal.aborted ? undefined : await this.#parts.owner.decided?.()
    return why && decision.action === 'allow' ? { action: 'deny', why, grounds: decision.grounds } : decision
  }

  #denied(statement: Statement, denial: Denial): void {
    const isJudgement = denial !== LOCKED && denial !== CANCELLED && denial.why.code !== 'unprepared'
    if (isJudgement) this.#noteNotRun(statement, denial.grounds)
    this.#refuse(statement, denial.why)
  }

  #noteNotRun(statement: Statement, grounds: BegunCommand['grounds']): void {
    this.#parts.commands.begin({ ...this.#commandOf(statement), risk: DENIED_RISK, grounds })('')
  }

  #refuse(statement: Statement, why: Notice): void {
    const { recording, target, owner } = this.#parts
    const words = wordsOf(why, this.person.language)
    this.#refused.add(statement)
    this.#written(recording.refused(statement.text, words))
    this.#show(`${statement.text}\n${words}`)
    if (statement.substitute) target.pass(statement.substitute(words, why.code))
    else owner.refuse(statement, why)
  }

  #answered(bytes: Buffer): void {
    if (this.isOver) return
    this.touch()
    if (bytes.length && !this.#parts.owner.write(bytes)) this.hold('owner')
  }

  #over(statement: Statement, outcome: Outcome): void {
    if (this.isOver) return
    if (statement.step?.is === 'preparation' && outcome.error !== undefined) {
      this.#begin(statement)
      this.#parts.commands.write()
    }
    const running = this.#running.get(statement)
    if (!running) return
    this.#running.delete(statement)
    this.#runningBytes -= statement.bytes.length
    this.#written(this.#parts.recording.answer(running.number, outcome))
    running.end(outcome, OUTPUT_MAX)
    if (this.#watchers.size) this.#show(textOf(outcome))
    if (!this.#onceAnswered || this.#runs(MAX_RUNNING / 2, MAX_RUNNING_BYTES / 2)) return
    const then = this.#onceAnswered
    this.#onceAnswered = undefined
    then()
  }

  #show(text: string): void {
    if (!this.#watchers.size) return
    for (const watcher of this.#watchers) {
      if (watcher.backlog() <= MAX_UNREAD_BYTES) watcher.line(text)
      else {
        this.#watchers.delete(watcher)
        watcher.close()
      }
    }
  }

  #written(isReady: boolean): void {
    if (!isReady) this.hold('disk')
  }
}
