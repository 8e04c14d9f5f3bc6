import type { ClientPieces, ClientWire, Statement } from '../../kinds/statements/streams.ts'
import { ClientEncoding } from '../client-encoding.ts'
import { ClientSide, type OwnConnection } from './client-side.ts'
import { characterSetOf, ENCODINGS } from './encodings.ts'
import { Exchange } from './exchange.ts'
import { attributeOf, type ClientLogin } from './login.ts'
import { errorPacket, type ServerError } from './packets.ts'
import { readStatement, readVersion, type ServerVersion } from './read-statement.ts'
import { ServerSide } from './server-side.ts'

/** Characters of a client's name that are kept. */
const PROGRAM_MAX = 128
/** The server's first answer to a command is number 1. */
const FIRST_ANSWER = 1

/**
 * One client of MySQL or MariaDB as listener and connector see it: what it said of itself at its
 * start, and what is under way between it and its server.
 */
export class MysqlWire implements ClientWire {
  readonly protocol = 'mysql'
  readonly login: ClientLogin
  readonly place: { database: string; program: string }
  readonly exchange = new Exchange()
  readonly server: ServerSide
  /** The number of the next packet that it expects until it is signed in. */
  sequence = 0
  /** Thread of its connection at the server, once there is one. */
  thread = 0
  /** As the server says it; empty before. */
  version = ''
  /** Both ends take many rows of parameters at once. */
  takesBulk = false
  /** Whether the connection to the server is. */
  isEncrypted = false
  /** Other connections of the same person; set once the person is known. */
  ownConnection: (number: number) => OwnConnection | undefined = () => undefined
  readonly #encoding = new ClientEncoding(ENCODINGS)
  #client: ClientSide | undefined
  #read: ServerVersion | undefined

  constructor(login: ClientLogin) {
    this.login = login
    const program = attributeOf(login.attributes, 'program_name') || attributeOf(login.attributes, '_client_name')
    this.place = { database: '', program: program.slice(0, PROGRAM_MAX) }
    this.#encoding.set(characterSetOf(login.collation))
    this.server = new ServerSide({
      exchange: this.exchange,
      encoding: this.#encoding,
      onFile: () => this.#client?.sendsFile(),
    })
  }

  readAs(text: string): readonly string[] | undefined {
    this.#read ??= this.version ? readVersion(this.version) : undefined
    return readStatement(text, this.#read)
  }

  othersOf(text: string): readonly string[] | undefined {
    return this.#encoding.othersOfOwn(text)
  }

  /** Reads what the client sends from now on. */
  readInto(pieces: ClientPieces): ClientSide {
    this.#client = new ClientSide({
      exchange: this.exchange,
      encoding: this.#encoding,
      pieces,
      takesBulk: () => this.takesBulk,
      ownConnection: (number) => this.ownConnection(number),
      onDatabase: (name) => {
        this.place.database = name
      },
    })
    return this.#client
  }

  /** The client gets the error in its turn. */
  refuse(statement: Statement, error: ServerError): void {
    this.exchange.refuse(statement, errorPacket(FIRST_ANSWER, this.#encoded(error)))
  }

  /** The packet that tells the client now, whatever it waits for; undefined within another packet. */
  lastWords(error: ServerError): Buffer | undefined {
    const sequence = this.server.nextSequence
    return sequence === undefined ? undefined : errorPacket(sequence, this.#encoded(error))
  }

  #encoded(error: ServerError): ServerError {
    return { ...error, message: this.#encoding.encodable(error.message) }
  }
}
