import { awaitedLater } from '../../../kernel/background.ts'
import type { ClientPieces, Statement } from '../../kinds/statements/streams.ts'
import { type Notice, notice } from '../../session/notice.ts'
import type { ClientEncoding } from '../client-encoding.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import { characterSetIn, maySetCharacters, surelySetsCharacters } from './encodings.ts'
import type { AnswerShape, Exchange, Expected } from './exchange.ts'
import { readKill } from './kill.ts'
import { NAMED, namedCommand } from './named-commands.ts'
import { type PacketVisitor, PacketWalker } from './packet-walker.ts'
import { COMMAND, errorPacket, FULL_BODY, HEADER_BYTES, packet, type ServerError } from './packets.ts'
import { ERROR } from './server-errors.ts'

/** Limit of a statement that is judged and recorded, in bytes; the rest goes on unseen. */
const STATEMENT_BYTES = 1024 * 1024
/** Command, number, kind of cursor. */
const EXECUTE_BYTES = 10
const NAME_BYTES = 1024
/** Nothing that a client may send but statements is longer, except data for one. */
const OTHER_BYTES = 64 * 1024
/** https://mariadb.com/kb/en/mariadb-error-code-reference/ */
const NOT_ALLOWED = { number: 1227, state: '42000' }
/** Written without quotes it is read as the same name. */
const PLAIN_NAME = /^[a-z_][\w$]*$/i
const UNKNOWN_COMMAND = { number: 1047, state: '08S01' }
/** The server's first answer to a command is number 1. */
const FIRST_ANSWER = 1
const UNPREPARED = notice('unprepared', 'What this runs could not be prepared', {}, 'urgent')

/** Commands that pass, with what answers them. */
const PASSING: ReadonlyMap<number, AnswerShape> = new Map([
  [COMMAND.statistics, 'one'],
  [COMMAND.debug, 'one'],
  [COMMAND.ping, 'one'],
  [COMMAND.resetStatement, 'one'],
  [COMMAND.setOption, 'one'],
  [COMMAND.fetch, 'rows'],
  [COMMAND.resetConnection, 'one'],
  [COMMAND.fieldList, 'columns'],
])

/** Another connection of the same person's. */
export interface OwnConnection {
  /** Its number at the server. */
  thread: number
  /** Refuses what is being judged there; false when nothing is. */
  cancelHeld(): boolean
}

interface Parts {
  exchange: Exchange
  encoding: ClientEncoding
  pieces: ClientPieces
  /** Both ends have agreed on many rows of parameters at once. */
  takesBulk(): boolean
  /** By the number with which Sallyport greeted its client. */
  ownConnection(number: number): OwnConnection | undefined
  /** The client goes on in another database. */
  onDatabase(name: string): void
}

/** Reads what a client sends once it is signed in: which of it are statements, and what is refused. */
export class ClientSide implements PacketVisitor {
  readonly #walker = new PacketWalker(this)
  readonly #parts: Parts
  /** The statement to which the next bytes belong. */
  #current: Statement | undefined
  /** It sends a file, which ends with an empty packet. */
  #isFile = false
  /** The rest of a packet that was refused is dropped. */
  #isDropped = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Throws ProtocolViolation. */
  read(bytes: Buffer): void {
    this.#walker.walk(bytes)
  }

  /** The server has asked for a file: what comes now is that. */
  sendsFile(): void {
    this.#isFile = true
  }

  wanted(command: number, length: number, sequence: number): number {
    if (this.#isFile) {
      if (!length) this.#isFile = false
      return 0
    }
    if (sequence) throw new ProtocolViolation('packets out of order')
    // A server answers it as a command that it does not know, and every answer behind that would count for the one before.
    if (!length) throw new ProtocolViolation('empty packet')
    switch (command) {
      case COMMAND.query:
      case COMMAND.prepare:
        return STATEMENT_BYTES
      case COMMAND.execute:
      case COMMAND.executeBulk:
        return EXECUTE_BYTES
      case COMMAND.initDatabase:
        return NAME_BYTES
      case COMMAND.longData:
        return 0
    }
    if (length > OTHER_BYTES && (PASSING.has(command) || NAMED.has(command)))
      throw new ProtocolViolation('invalid packet length')
    return Math.min(length, OTHER_BYTES)
  }

  pass(bytes: Buffer): void {
    this.#parts.pieces.pass(bytes)
  }

  rest(bytes: Buffer): void {
    if (this.#current) this.#parts.pieces.rest(this.#current, bytes)
    else if (!this.#isDropped) this.#parts.pieces.pass(bytes)
  }

  packet(bytes: Buffer, length: number): void {
    this.#current = undefined
    this.#isDropped = false
    const isCut = bytes.length - HEADER_BYTES < length || length === FULL_BODY
    const command = bytes[HEADER_BYTES] ?? -1
    const { exchange, pieces, encoding } = this.#parts
    const shape = PASSING.get(command)
    const named = namedCommand(command, bytes)
    if (command === COMMAND.query) this.#query(this.#textOf(bytes), bytes, isCut)
    else if (command === COMMAND.prepare) this.#prepare(bytes, isCut)
    else if (command === COMMAND.execute || (command === COMMAND.executeBulk && this.#parts.takesBulk()))
      this.#execute(bytes)
    else if (command === COMMAND.initDatabase) this.#useDatabase(this.#textOf(bytes), bytes, isCut)
    else if (command === COMMAND.processKill) this.#kill(bytes)
    else if (named) this.#submit({ text: named.text, bytes, isCut }, { shape: named.shape })
    else if (command === COMMAND.quit) pieces.leave()
    else if (command === COMMAND.closeStatement) {
      exchange.prepared.close(numberAt(bytes, 1))
      pieces.pass(bytes)
    } else if (shape) {
      if (command === COMMAND.resetConnection) {
        // As the server has it by default, whatever that is.
        encoding.doubt()
        exchange.prepared.clear()
      }
      exchange.asked({ shape })
      pieces.pass(bytes)
    } else if (command === COMMAND.changeUser) {
      const message = 'The user of a connection can not be changed here: open another'
      this.#refuse({ ...NOT_ALLOWED, message })
    } else this.#refuse({ ...UNKNOWN_COMMAND, message: 'This command is not possible here' })
  }

  #query(text: string, bytes: Buffer, isCut: boolean): void {
    const kill = isCut ? undefined : readKill(text)
    const connection = kill && this.#parts.ownConnection(kill.number)
    if (kill && connection) {
      const isHeld = kill.isQuery && connection.cancelHeld()
      const instead = Buffer.from(isHeld ? 'DO 0' : kill.withNumber(connection.thread))
      const sent = packet(0, Buffer.of(COMMAND.query), instead)
      this.#submit({ text, bytes: sent }, { shape: 'results' })
      return
    }
    const database = /^\s*use\s+(`(?:[^`]|``)+`|[^\s;`]+)\s*(?:;\s*)?$/i.exec(text)?.[1]
    const { encoding } = this.#parts
    const mayChange = maySetCharacters(text)
    const others = this.#othersOf(bytes, text, mayChange)
    const beSure = mayChange ? encoding.doubt() : undefined
    const onDone = () => {
      const characters = mayChange ? characterSetIn(text) : undefined
      if (characters) encoding.set(characters)
      if (characters && surelySetsCharacters(text)) beSure?.()
      if (database) this.#parts.onDatabase(database.replace(/^`(.*)`$/s, '$1').replaceAll('``', '`'))
    }
    this.#submit({ text, others, bytes, isCut }, { shape: 'results', onDone })
  }

  #prepare(bytes: Buffer, isCut: boolean): void {
    const text = this.#textOf(bytes)
    const statement: Statement = {
      text,
      others: this.#othersOf(bytes, text, false),
      bytes,
      isCut,
      step: { is: 'preparation' },
    }
    this.#submit(statement, { shape: 'prepared', text: this.#parts.exchange.prepared.prepare(statement) })
  }

  #execute(bytes: Buffer): void {
    const { exchange, encoding } = this.#parts
    const number = numberAt(bytes, 1)
    const found = exchange.prepared.run(number)
    if (!found) {
      this.#refuse({ ...ERROR.unknownStatement, message: `Unknown prepared statement handler (${number})` })
      return
    }
    const { number: given, ...run } = found
    if (maySetCharacters(run.text)) encoding.doubt()
    const name = (known: number | undefined): Notice | undefined => {
      if (known === undefined) return UNPREPARED
      bytes.writeUInt32LE(known, HEADER_BYTES + 1)
      return undefined
    }
    if (typeof given === 'number') name(given)
    const step: Statement['step'] =
      typeof given === 'number' ? run.step : { is: 'waitingRun', until: awaitedLater(given.then(name)) }
    this.#submit({ ...run, bytes, step }, { shape: 'results' })
  }

  #useDatabase(name: string, bytes: Buffer, isCut: boolean): void {
    const onDone = () => this.#parts.onDatabase(name)
    const written = PLAIN_NAME.test(name) ? name : `\`${name.replaceAll('`', '``')}\``
    this.#submit({ text: `USE ${written}`, bytes, isCut }, { shape: 'one', onDone })
  }

  /** As the statement has it (deprecated since MySQL 5.7, and still sent). */
  #kill(bytes: Buffer): void {
    const text = `KILL ${numberAt(bytes, 1)}`
    this.#query(text, packet(0, Buffer.of(COMMAND.query), Buffer.from(text)), false)
  }

  /** Another person on the same connection, replication, and what nobody knows: the server does not hear of it. */
  #refuse(error: ServerError): void {
    this.#isDropped = true
    this.#parts.exchange.asked({ shape: 'one', own: errorPacket(FIRST_ANSWER, error) })
  }

  #submit(statement: Statement, expected: Expected): void {
    this.#current = statement
    this.#parts.exchange.asked({ ...expected, statement })
    this.#parts.pieces.statement(statement)
  }

  #textOf(bytes: Buffer): string {
    return this.#parts.encoding.decode(bytes.subarray(HEADER_BYTES + 1))
  }

  /** The character set may be changed by what is still to be answered, and within the text (`mayChange`). */
  #othersOf(bytes: Buffer, text: string, mayChange: boolean): string[] | undefined {
    const { encoding, exchange } = this.#parts
    const isSure = encoding.isSure && !exchange.head && !mayChange
    return encoding.othersOf(bytes.subarray(HEADER_BYTES + 1), text, isSure)
  }
}

/** Throws ProtocolViolation when there is none. */
function numberAt(bytes: Buffer, at: number): number {
  if (bytes.length < HEADER_BYTES + at + 4) throw new ProtocolViolation('packet is too short')
  return bytes.readUInt32LE(HEADER_BYTES + at)
}
