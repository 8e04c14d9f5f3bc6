import type { ClientPieces, Statement } from '../../kinds/statements/streams.ts'
import { commandText } from './command-text.ts'
import { type CommandVisitor, CommandWalker, type RedisCommand } from './command-walker.ts'
import type { Denials } from './denials.ts'
import type { Exchange } from './exchange.ts'
import { whyForbidden } from './forbidden-commands.ts'

/** Limit of a client's name that is kept, in bytes. */
const NAME_BYTES = 128
/** Replacement of a password in records. */
const SECRET = '(hidden)'

interface Parts {
  exchange: Exchange
  denials: Denials
  pieces: ClientPieces
  /** The number of the only database; empty where others may be chosen. */
  database: string
  place: { program: string }
}

/** Reads what a client sends once it is signed in: each command is a statement. */
export class ClientSide implements CommandVisitor {
  readonly #walker = new CommandWalker(this)
  readonly #parts: Parts
  /** As far as the client has said. */
  #isInTransaction = false
  #database: string | undefined
  /** The statement to which the next bytes belong. */
  #current: Statement | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Throws ProtocolViolation. */
  read(bytes: Buffer): void {
    this.#walker.walk(bytes)
  }

  command({ arguments: parts, bytes, isCut }: RedisCommand): void {
    const { exchange, denials, pieces, database } = this.#parts
    const name = (parts[0] as Buffer).toString('latin1', 0, 32).toLowerCase()
    const forbidden = whyForbidden(parts, { isInTransaction: this.#isInTransaction, database })
    if (!forbidden) this.#note(name, parts)
    const statement: Statement = {
      text: shownText(name, parts),
      bytes,
      isCut,
      forbidden,
      database: this.#database,
      substitute: (words, why) => denials.command(why === 'withdrawn' ? 'ERR' : 'NOPERM', words),
    }
    exchange.asked(statement, name, parts.length - 1)
    this.#current = statement
    pieces.statement(statement)
  }

  rest(bytes: Buffer): void {
    if (this.#current) this.#parts.pieces.rest(this.#current, bytes)
  }

  #note(name: string, parts: readonly Buffer[]): void {
    const { place } = this.#parts
    if (name === 'multi') this.#isInTransaction = true
    else if (name === 'exec' || name === 'discard') this.#isInTransaction = false
    else if (name === 'select') this.#database = textAt(parts, 1)
    else if (name === 'client' && wordAt(parts, 1) === 'setname') place.program = textAt(parts, 2)
    else if (name === 'client' && wordAt(parts, 2) === 'lib-name') place.program ||= textAt(parts, 3)
    else if (name === 'hello') {
      const at = parts.findIndex((_, at) => wordAt(parts, at) === 'setname')
      if (at > 0) place.program = textAt(parts, at + 1)
    }
  }
}

const wordAt = (parts: readonly Buffer[], at: number) => parts[at]?.toString('latin1', 0, 32).toLowerCase() ?? ''

/** Name of a database or program. */
const textAt = (parts: readonly Buffer[], at: number) => parts[at]?.toString('utf8', 0, NAME_BYTES) ?? ''

/** Passwords of clients are not written down, even where they have no effect. */
function shownText(name: string, parts: readonly Buffer[]): string {
  const auth = name === 'auth' ? 0 : name === 'hello' ? parts.findIndex((_, at) => wordAt(parts, at) === 'auth') : -1
  return auth < 0 ? commandText(parts) : `${commandText(parts.slice(0, auth + 1))} ${SECRET}`
}
