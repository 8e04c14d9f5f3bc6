import { judgeInTime, requestInTime } from '../../guard/ask-guard.ts'
import type { Decision, Guard } from '../../guard/guard.ts'
import { UNJUDGED } from '../../guard/input-gate.ts'
import { type BegunCommand, DENIED_RISK, onceWritten } from '../../session/command-log.ts'
import { LiveSession, type LiveSessionParts } from '../../session/live-session.ts'
import { type Notice, notice, wordsOf } from '../../session/notice.ts'
import { RunningStatement, textOf } from '../statements/running-statement.ts'
import { STATEMENT_CHARACTERS, type StatementLog } from '../statements/statement-log.ts'
import type { StatementWatcher } from '../statements/statement-session.ts'
import type { Outcome, Statement } from '../statements/streams.ts'
import type { ApiRequest, RequestOutcome, RequestOwner, RequestTarget } from './streams.ts'

export interface RequestSessionParts extends LiveSessionParts {
  owner: RequestOwner
  target: RequestTarget
  recording: StatementLog
  guard: Guard
  /** Name that the client gives itself. */
  program: string
}

/** Limit of a request in its command row, in characters (docs/rules/gateway.md#command_parsing). */
const INPUT_MAX = 128
/** Requests of one session that wait or run at the same time; a client with more tries again. */
const MAX_RUNNING = 300

/** A request that may go out. */
export interface RunningRequest {
  /** Aborted when the session ends. */
  signal: AbortSignal
  /** Something of it, or of its answer, has passed. */
  passed(): void
  /** To be called once. */
  end(outcome: RequestOutcome): void
}

/** A request is not sent on, in words for the person. */
export class RequestDenied extends Error {
  readonly why: Notice
  constructor(why: Notice) {
    super(why.text)
    this.why = why
  }
}

/** The session has as many requests as it may. */
export class TooManyRequests extends Error {}

const OVER = notice('closed', 'The session is over', {}, 'urgent')
const LOCKED = notice('locked', 'The input of this session is locked', {}, 'urgent')

/**
 * Requests to an API, each held until the guard has answered, and written down with its outcome.
 * They go side by side: one that waits for a confirmation holds no other.
 */
export class RequestSession extends LiveSession {
  readonly kind = 'requests'
  readonly #parts: RequestSessionParts
  readonly #over = new AbortController()
  readonly #watchers = new Set<StatementWatcher>()
  /** How each that was sent on is ended. */
  readonly #running = new Set<(outcome: RequestOutcome) => void>()
  #waiting = 0
  /** Sessions beside this one that its client works in. */
  #beside = 0
  #count = 0

  constructor(parts: RequestSessionParts) {
    super(parts)
    this.#parts = parts
  }

  /** Target of requests. */
  get target(): RequestTarget {
    return this.#parts.target
  }

  /**
   * Judges a request and writes it down. `gone` is aborted when its client does not wait any more.
   * Throws RequestDenied and TooManyRequests.
   */
  async begin(request: ApiRequest, gone: AbortSignal): Promise<RunningRequest> {
    if (this.isOver) throw new RequestDenied(OVER)
    if (this.#running.size + this.#waiting >= MAX_RUNNING) throw new TooManyRequests()
    this.touch()
    this.#waiting++
    try {
      const decision = await this.#decide(request, AbortSignal.any([gone, this.#over.signal]))
      if (decision.action === 'deny') throw this.#denied(request, decision)
      return await this.#begun(request, decision.grounds)
    } finally {
      this.#waiting--
    }
  }

  /** The client works in another session, which keeps this one from being idle. Answers how that ends. */
  worksBeside(): () => void {
    this.#beside++
    return () => void this.#beside--
  }

  /** See `StatementSession.watch`. */
  watch(watcher: StatementWatcher): (() => void) | undefined {
    if (this.isOver) return undefined
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  settle(): void {
    if (this.#beside) this.touch()
  }

  protected say(what: Notice): void {
    const words = wordsOf(what, this.person.language)
    this.#parts.recording.notice(words)
    this.#parts.owner.tell(what)
    this.#show(words)
  }

  /** Running requests go on: nobody can send anything into them any more. */
  protected onLocked(): void {}

  protected release(): void {
    for (const end of this.#running) end({ status: undefined, error: 'The session has ended' })
    this.#over.abort()
    this.#parts.target.close()
    for (const watcher of this.#watchers) watcher.close()
  }

  async #decide({ text, readings, forbidden }: ApiRequest, dropped: AbortSignal): Promise<Decision> {
    if (this.isLocked) return { action: 'deny', why: LOCKED }
    if (forbidden) return { action: 'deny', why: forbidden }
    const isCut = text.length > STATEMENT_CHARACTERS
    try {
      const units = { texts: [text, ...readings], isCut, sent: text }
      const verdict = await judgeInTime(this.#parts.guard, units, dropped)
      return verdict.action === 'confirm' ? await this.#confirmed(verdict, dropped) : verdict
    } catch (error) {
      if (!dropped.aborted) this.log.error({ err: error, session: this.id }, 'the guard failed')
      return UNJUDGED
    }
  }

  async #confirmed(verdict: Parameters<typeof requestInTime>[0], dropped: AbortSignal): Promise<Decision> {
    const giveUp = new AbortController()
    const leave = () => giveUp.abort(this.isOver ? 'session' : undefined)
    if (dropped.aborted) leave()
    dropped.addEventListener('abort', leave)
    try {
      const { message, decision } = await requestInTime(verdict, giveUp)
      this.tell(message)
      return await decision
    } finally {
      dropped.removeEventListener('abort', leave)
    }
  }

  /** It is in the journal before it goes out. */
  async #begun(request: ApiRequest, grounds: BegunCommand['grounds']): Promise<RunningRequest> {
    const { commands, recording } = this.#parts
    const number = ++this.#count
    const statement: Statement = { text: request.text, bytes: Buffer.from(request.text) }
    const end = commands.begin({ ...this.#commandOf(request), grounds })
    const running = new RunningStatement({ number, statement, end, now: this.elapsed })
    recording.statement(number, request.text)
    this.#show(request.text)
    const over = (outcome: RequestOutcome) => {
      if (!this.#running.delete(over)) return
      const result = outcomeOf(outcome)
      recording.answer(number, result)
      running.end(result)
      this.#show(textOf(result))
    }
    this.#running.add(over)
    await onceWritten(commands, () => {})
    if (this.isOver) throw new RequestDenied(OVER)
    return { signal: this.#over.signal, passed: () => this.touch(), end: over }
  }

  #denied(request: ApiRequest, { why, grounds }: Extract<Decision, { action: 'deny' }>): RequestDenied {
    const words = wordsOf(why, this.person.language)
    this.#parts.commands.begin({ ...this.#commandOf(request), risk: DENIED_RISK, grounds })('')
    if (!this.isOver) this.#parts.recording.refused(request.text, words)
    this.#show(`${request.text}\n${words}`)
    return new RequestDenied(why)
  }

  #commandOf({ text, namespace }: ApiRequest): BegunCommand {
    return {
      input: text.slice(0, INPUT_MAX),
      timestamp: Math.floor(this.now() / 1000),
      statement: {
        text: text.slice(0, STATEMENT_CHARACTERS),
        bytes: Buffer.byteLength(text),
        database: namespace,
        program: this.#parts.program,
      },
    }
  }

  #show(text: string): void {
    for (const watcher of this.#watchers) watcher.line(text)
  }
}

/** As rows and recordings have outcomes: the status as code, and in words what failed. */
function outcomeOf({ status, error }: RequestOutcome): Outcome {
  if (status === undefined) return { error: error ?? 'No answer' }
  if (status >= 400) return { error: error ?? String(status), code: String(status) }
  return { reply: String(status), code: String(status) }
}
