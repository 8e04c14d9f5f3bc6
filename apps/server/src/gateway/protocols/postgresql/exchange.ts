import { Queue } from '../../../kernel/queue.ts'
import { type Outcome, type Statement, withRow } from '../../kinds/statements/streams.ts'
import { ClientViolation, ProtocolViolation } from '../protocol-violation.ts'
import type { ErrorFields } from './messages.ts'
import { type Prepared, PreparedStatements } from './prepared-statements.ts'

/** Nobody asks for so much before hearing anything. */
const MAX_EXPECTED = 20_000
/**
 * Limits of statements that are only prepared, by number and bytes, whose rows wait for a run in
 * their batch.
 */
const MAX_ONLY_PREPARED = 500
const MAX_ONLY_PREPARED_BYTES = 4 * 1024 * 1024

/** Answers that the server will send, in the order of the requests. */
type Expected =
  | { step: 'query'; statement: Statement }
  | { step: 'execute'; statement: Statement; portal: string }
  | { step: 'parse'; statement: Statement; prepared: Prepared }
  /** Undefined: a portal, or nothing that is known. */
  | { step: 'close'; closed: Prepared | undefined }
  /** `preparation`: has the row of what it is about, as far as that is not run yet. */
  | { step: 'bind' | 'describe'; portal: string | undefined; preparation: Statement | undefined }
  | { step: 'sync' }
  /** The client has ended what it copies, so many times; no answer of its own. */
  | { step: 'copyDone'; times: number }

/**
 * Requests between one client and its server: which answer belongs to which statement
 * (https://www.postgresql.org/docs/18/protocol-flow.html). In a batch, messages up to a Sync, the
 * server leaves out what follows an error.
 */
export class Exchange {
  readonly prepared = new PreparedStatements()
  /** A statement is over; those that were left out have an empty outcome. */
  onOutcome: (statement: Statement, outcome: Outcome) => void = () => {}
  readonly #expected = new Queue<Expected>()
  /** Prepared, and not run in their batch so far. */
  readonly #onlyPrepared = new Map<Statement, Prepared>()
  #onlyPreparedBytes = 0
  /** Prepared, and settled by what is run of it, or before. */
  readonly #endOtherwise = new WeakSet<Statement>()
  #rows: number | undefined
  #error: ErrorFields | undefined
  /** The rest of the batch is left out. */
  #isLeftOut = false
  /** The server takes what the client copies, and no Sync. */
  #isCopyIn = false
  /** A Sync came while something was copied: whether the server heard it is known once it is ready. */
  #mayHaveHeard = false

  constructor() {
    // The server begins by saying that it is ready.
    this.#expected.push({ step: 'sync' })
  }

  /** The server has answered all that it was asked. */
  get isIdle(): boolean {
    return this.#expected.length === 0 && !this.#isLeftOut
  }

  /** The server takes what the client copies, and nothing else. */
  get isCopyIn(): boolean {
    return this.#isCopyIn
  }

  /** The server hears nothing of what the client sends before its next Sync. */
  get isDeaf(): boolean {
    // Requests that it leaves out are not waited for: all that remain are behind a Sync.
    return this.#isLeftOut && !this.#mayHaveHeard && !this.#expected.length
  }

  /** The client has asked for it. Throws ProtocolViolation when too much is waited for. */
  asked(expected: Exclude<Expected, { step: 'copyDone' }>): void {
    if (expected.step === 'sync' || expected.step === 'query') this.prepared.endBatch()
    if (expected.step === 'execute' && expected.statement.step?.is === 'part')
      this.#endsOtherwise(expected.statement.step.of)
    if (expected.step === 'sync' && this.#isCopyIn) this.#mayHaveHeard = true
    else if (this.#expected.length < MAX_EXPECTED) this.#expected.push(expected)
    else throw new ProtocolViolation('too many messages wait for their answers')
  }

  /** The client has ended what it copies. Outside of that the server takes no notice, however often it is said. */
  copyDone(): void {
    this.#isCopyIn = false
    const { last } = this.#expected
    if (last?.step === 'copyDone') last.times++
    else if (last) this.#expected.push({ step: 'copyDone', times: 1 })
  }

  parseComplete(): void {
    const head = this.#head()
    if (head?.step !== 'parse') return
    this.#expected.shift()
    this.prepared.isPrepared(head.prepared)
    const { statement } = head
    if (this.#endOtherwise.has(statement)) return
    this.#onlyPrepared.set(statement, head.prepared)
    this.#onlyPreparedBytes += statement.bytes.length
    // They would fill up the session, which then would not read the Sync.
    for (const [oldest, prepared] of this.#onlyPrepared) {
      const { size } = this.#onlyPrepared
      if (size <= MAX_ONLY_PREPARED && this.#onlyPreparedBytes <= MAX_ONLY_PREPARED_BYTES) break
      // When it is run after all, that has a row of its own.
      prepared.fresh = undefined
      this.#endsOtherwise(oldest)
      this.#settle(oldest, {})
    }
  }

  #endsOtherwise(preparation: Statement): void {
    this.#endOtherwise.add(preparation)
    if (this.#onlyPrepared.delete(preparation)) this.#onlyPreparedBytes -= preparation.bytes.length
  }

  /** A Bind, or a Describe, is answered; rows of anything else are described as well. */
  stepComplete(step: 'bind' | 'describe'): void {
    if (this.#head()?.step === step) this.#expected.shift()
  }

  closeComplete(): void {
    const head = this.#head()
    if (head?.step !== 'close') return
    this.#expected.shift()
    if (head.closed) this.prepared.isClosed(head.closed)
  }

  /** `rows`: undefined where the server does not say. */
  completed(rows: number | undefined): void {
    const head = this.#head()
    if (head?.step === 'query') {
      if (rows !== undefined) this.#rows = (this.#rows ?? 0) + rows
    } else if (head?.step === 'execute') {
      this.#expected.shift()
      this.#settle(head.statement, rows === undefined ? {} : { rows })
    }
  }

  /**
   * The server waits for the client's copy: it does not hear a Sync before its end. Throws
   * ClientViolation when the client has sent anything else before that: with some servers it is
   * unknown which answer belongs to what from then on.
   */
  copyIn(): void {
    this.#isCopyIn = true
    this.#head()
    const copying = this.#expected.shift()
    if (!copying) return
    while (this.#expected.head?.step === 'sync') {
      this.#mayHaveHeard = true
      this.#expected.shift()
    }
    const next = this.#expected.head
    if (next && next.step !== 'copyDone') throw new ClientViolation('a message in the middle of what is copied')
    this.#isCopyIn = !next
    if (next && --next.times === 0) this.#expected.shift()
    this.#expected.putBack(copying)
  }

  failed(error: ErrorFields): void {
    this.#isCopyIn = false
    const head = this.#head()
    if (head?.step === 'query') {
      this.#error ??= error
      return
    }
    // Behind an error in the Sync itself nothing is left out.
    if (!head || head.step === 'sync') return
    this.#isLeftOut = true
    const leftOut = this.#takeLeftOut()
    const failed = this.#meant(head, leftOut)
    if (failed) {
      this.#endsOtherwise(failed)
      this.#settle(failed, { error: error.message, code: error.code })
    }
    for (const next of leftOut) {
      if (next.step === 'parse') this.prepared.isNotPrepared(next.prepared)
      if ('statement' in next && next.statement !== failed) this.#settle(next.statement, {})
    }
  }

  /**
   * Requests that the server leaves out need not wait for the Sync, which may come behind more than
   * can wait.
   */
  #takeLeftOut(): Expected[] {
    const leftOut: Expected[] = []
    while (this.#expected.length && this.#expected.head?.step !== 'sync')
      leftOut.push(this.#expected.shift() as Expected)
    return leftOut
  }

  /** The statement whose row hears of a failed step: a Bind, or a Describe, is about what is run in its portal next. */
  #meant(head: Expected, leftOut: readonly Expected[]): Statement | undefined {
    if ('statement' in head) return head.statement
    if (head.step !== 'bind' && head.step !== 'describe') return undefined
    if (head.preparation || head.portal === undefined) return head.preparation
    for (const next of leftOut.slice(1)) {
      if (next.step === 'query') break
      if ((next.step !== 'bind' && next.step !== 'execute') || next.portal !== head.portal) continue
      return next.step === 'execute' ? next.statement : undefined
    }
    return undefined
  }

  /** The server waits for the next: whatever has no outcome by now gets none. */
  ready(): void {
    for (;;) {
      const next = this.#expected.shift()
      if (!next) break
      if (next.step === 'parse') this.prepared.isNotPrepared(next.prepared)
      if ('statement' in next) {
        const { message: error, code } = this.#error ?? {}
        const rows = this.#rows === undefined ? {} : { rows: this.#rows }
        const ran = next.step === 'query' && !this.#isLeftOut
        this.#settle(next.statement, ran ? { ...rows, ...(error === undefined ? {} : { error, code }) } : {})
      }
      if (next.step === 'sync' || (next.step === 'query' && !this.#isLeftOut)) break
    }
    if (this.#onlyPrepared.size) this.#settleOnlyPrepared()
    this.#isLeftOut = false
    this.#isCopyIn = false
    this.#mayHaveHeard = false
    this.#rows = undefined
    this.#error = undefined
  }

  #settleOnlyPrepared(): void {
    for (const statement of this.#onlyPrepared.keys()) this.#settle(statement, {})
    this.#onlyPrepared.clear()
    this.#onlyPreparedBytes = 0
  }

  #head(): Expected | undefined {
    while (this.#expected.head?.step === 'copyDone') this.#expected.shift()
    return this.#expected.head
  }

  #settle(statement: Statement, outcome: Outcome): void {
    this.onOutcome(withRow(statement), outcome)
  }
}
