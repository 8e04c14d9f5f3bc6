import { randomBytes } from 'node:crypto'
import type { ClientPieces, ClientWire } from '../../kinds/statements/streams.ts'
import { ClientEncoding } from '../client-encoding.ts'
import { ClientSide } from './client-side.ts'
import { Denials } from './denials.ts'
import { ENCODINGS } from './encodings.ts'
import { Exchange } from './exchange.ts'
import { int32, message, SERVER } from './messages.ts'
import { ServerSide } from './server-side.ts'
import { readStatement } from './without-comments.ts'

/** Key by which a client cancels: a number that is also an address, and a secret. */
export interface CancelKey {
  process: number
  key: Buffer
}

/** Characters of a client's name that are kept. */
const PROGRAM_MAX = 128

/**
 * One client of PostgreSQL as listener and connector see it: what it asked for at its start, and
 * what is under way between it and its server.
 */
export class PostgresqlWire implements ClientWire {
  readonly protocol = 'postgresql'
  /** As the client sent them. */
  readonly parameters: ReadonlyMap<string, string>
  readonly place: { database: string; program: string }
  readonly cancelKey: CancelKey = { process: randomBytes(4).readInt32BE(0) & 0x7fff_ffff, key: randomBytes(4) }
  /** Whether its server wanted to know the password. */
  isPasswordAsked = false
  readonly exchange = new Exchange()
  readonly server: ServerSide
  readonly #denials = new Denials()
  readonly #encoding = new ClientEncoding(ENCODINGS)
  /** The newest text that was read: what is prepared runs again and again. */
  #read: { text: string; as: readonly string[] | undefined } | undefined

  constructor(parameters: ReadonlyMap<string, string>) {
    this.parameters = parameters
    this.place = { database: '', program: (parameters.get('application_name') ?? '').slice(0, PROGRAM_MAX) }
    const { process, key } = this.cancelKey
    this.server = new ServerSide({
      exchange: this.exchange,
      denials: this.#denials,
      encoding: this.#encoding,
      cancelKey: message(SERVER.backendKeyData, int32(process), key),
    })
  }

  readAs(text: string): readonly string[] | undefined {
    if (this.#read?.text !== text) this.#read = { text, as: readStatement(text) }
    return this.#read.as
  }

  othersOf(text: string): readonly string[] | undefined {
    return this.#encoding.othersOfOwn(text)
  }

  /** Reads what the client sends from now on. */
  readInto(pieces: ClientPieces): ClientSide {
    return new ClientSide({ exchange: this.exchange, denials: this.#denials, encoding: this.#encoding, pieces })
  }
}
