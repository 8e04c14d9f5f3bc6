import type { ClientPieces, ClientWire, Outcome, Statement, StatementTarget } from '../kinds/statements/streams.ts'
import type { StreamEnd } from '../session/live-session.ts'
import { type AnswerHost, type Answers, NOBODY } from './answers.ts'
import type { ResultSink } from './output/result.ts'

/** A client's end that is read as if a client had sent it. */
export interface PromptWire extends ClientWire {
  readInto(pieces: ClientPieces): { read(bytes: Buffer): void }
}

/** One connection to a server. */
export interface LinkParts<A extends Answers> {
  target: StatementTarget
  wire: PromptWire
  /** Made when the connection starts. */
  answers(host: AnswerHost): A
  /** A statement as a client of the protocol sends it. */
  encode(text: string): Buffer
}

/** Events of a statement on its way. */
export interface Passage {
  /** It is about to go out; it does once the promise has settled. */
  begins(statement: Statement): Promise<void> | undefined
  /** It can't be run, whatever the rules say: the server refuses what takes its place. */
  forbidden(statement: Statement): void
  over(outcome: Outcome): void
}

/** Passage without a log: questions of the prompt's own. */
const UNNOTICED: Passage = { begins: () => undefined, forbidden() {}, over() {} }

/** Sends statements to a server, one at a time, as a client of its protocol would. */
export class Link<A extends Answers = Answers> {
  readonly answers: A
  readonly #parts: LinkParts<A>
  readonly #client: { read(bytes: Buffer): void }
  #pieces: { statement: Statement | undefined; rest: Buffer[] } = { statement: undefined, rest: [] }
  #passage: Passage = UNNOTICED
  #running: (() => void) | undefined
  /** Settles when the server waits for the next statement. */
  #free: Promise<void>
  #isCancelled = false
  #isOver = false

  constructor(parts: LinkParts<A>) {
    this.#parts = parts
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#free = promise
    this.#running = resolve
    this.answers = parts.answers({
      ready: () => this.#ready(),
      send: (bytes) => this.#client.read(bytes),
    })
    this.#client = parts.wire.readInto({
      statement: (statement) => {
        this.#pieces.statement = statement
      },
      rest: (_statement, bytes) => void this.#pieces.rest.push(bytes),
      pass: (bytes) => parts.target.pass(bytes),
      leave() {},
    })
  }

  get wire(): PromptWire {
    return this.#parts.wire
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Answers once the server waits for the first statement. `onEnd` is called once, as the last. */
  start(onEnd: (end: StreamEnd) => void, sink: ResultSink = NOBODY): Promise<void> {
    this.answers.into(sink, '')
    this.#parts.target.start({
      answer: (bytes) => this.#read(bytes),
      outcome: (_statement, outcome) => this.#passage.over(outcome),
      end: (end) => {
        if (this.#isOver) return
        this.#isOver = true
        this.#ready()
        onEnd(end)
      },
    })
    return this.#free
  }

  /** Settles when the server has answered all of it, or is gone. */
  async run(text: string, sink: ResultSink, passage: Passage = UNNOTICED): Promise<void> {
    await this.#free
    if (this.#isOver) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#free = promise
    this.#running = resolve
    this.#passage = passage
    this.#isCancelled = false
    this.#pieces = { statement: undefined, rest: [] }
    this.#client.read(this.#parts.encode(text))
    const { statement, rest } = this.#pieces
    if (!statement) return this.#ready()
    const { target } = this.#parts
    if (statement.forbidden) {
      this.answers.into(NOBODY, text)
      passage.forbidden(statement)
      if (statement.substitute) target.pass(statement.substitute('refused', statement.forbidden.code))
    } else {
      this.answers.into(sink, text)
      await passage.begins(statement)
      if (this.#isOver) return
      target.send(statement)
      for (const bytes of rest) target.pass(bytes)
    }
    await promise
  }

  /** Breaks off the running statement at the server. */
  cancel(): void {
    if (!this.isRunning || this.#isCancelled) return
    // Once: a second one might arrive when the next statement runs.
    this.#isCancelled = true
    this.#parts.target.cancel()
  }

  pause(): void {
    this.#parts.target.pause()
  }
  resume(): void {
    this.#parts.target.resume()
  }

  close(): void {
    this.#isOver = true
    this.#ready()
    this.#parts.target.close()
  }

  #read(bytes: Buffer): void {
    try {
      this.answers.read(bytes)
    } catch {
      // A server that does not speak its protocol is left; bytes behind can't be read any more.
      this.#parts.target.close()
    }
  }

  #ready(): void {
    const then = this.#running
    this.#running = undefined
    then?.()
  }
}
