import type { ClientPieces, ClientWire, Outcome, Statement } from '../../kinds/statements/streams.ts'
import { ClientSide } from './client-side.ts'
import { Denials, errorReply } from './denials.ts'
import { Exchange } from './exchange.ts'
import { readCommand } from './read-command.ts'
import { type Reply, ReplyWalker } from './reply-walker.ts'

/** How a client asked to be signed in; its answer is the first that it hears of its server. */
export interface Opening {
  /** Version of the protocol, where it asked by HELLO. */
  version: number | undefined
  /** Its name for itself. */
  program: string
}

/**
 * One client of Redis as listener and connector see it: how it began, and what is under way between
 * it and its server.
 */
export class RedisWire implements ClientWire {
  readonly protocol = 'redis'
  readonly opening: Opening
  readonly place: { database: string; program: string }
  /** The number of the only database; empty where others may be chosen. */
  onlyDatabase = ''
  readonly #exchange: Exchange
  readonly #denials = new Denials()
  readonly #replies: ReplyWalker

  constructor(opening: Opening) {
    this.opening = opening
    this.#exchange = new Exchange(opening.version)
    this.place = { database: '', program: opening.program }
    this.#replies = new ReplyWalker({
      instead: (error) => {
        const words = this.#denials.instead(error)
        return words === undefined ? undefined : errorReply(words)
      },
      reply: (reply: Reply) => this.#exchange.answered(reply),
    })
  }

  readAs(text: string): readonly string[] {
    return readCommand(text)
  }

  /** Reads what the client sends from now on. */
  readInto(pieces: ClientPieces): ClientSide {
    return new ClientSide({
      exchange: this.#exchange,
      denials: this.#denials,
      pieces,
      database: this.onlyDatabase,
      place: this.place,
    })
  }

  /** Reads what the server answers: see `AnswerReader`. Throws ProtocolViolation. */
  read(bytes: Buffer): Buffer {
    return this.#replies.read(bytes)
  }

  onOutcome(then: (statement: Statement, outcome: Outcome) => void): void {
    this.#exchange.onOutcome = then
  }

  /** Whether an error may take the place of an answer that the client waits for. */
  get awaitsAnswer(): boolean {
    return this.#replies.isBetweenReplies && this.#exchange.isAwaited
  }
}
