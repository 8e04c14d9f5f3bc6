import { isUtf8 } from 'node:buffer'
import { type Reading, ROW_BYTES, textOf, VALUE_BYTES } from '../../protocols/byte-source.ts'
import { ANSWER, readError, readInteger, readLengthEncoded, readOk, STATUS } from '../../protocols/mysql/packets.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { type AnswerHost, type Answers, NOBODY } from '../answers.ts'
import type { Column, ResultSink, Value } from '../output/result.ts'
import { PacketSource } from './packet-source.ts'

/** Limit of a packet that is read whole, in bytes. */
const PACKET_BYTES = 64 * 1024
/** An end, unlike a row that begins alike, is shorter than this. */
const END_BYTES = 9
const NULL = 0xfb
/** The collation of bytes. */
const BINARY = 63
/** Types of numbers (`enum_field_types`): integers, floating ones, decimals, years. */
const NUMBERS = new Set([0, 1, 2, 3, 4, 5, 8, 9, 13, 246])
/** Limit of bytes that are no text and are shown. */
const HEX_BYTES = 256
/** More columns than a server can answer. */
const COLUMNS_MAX = 65_535

interface MysqlColumn extends Column {
  isBinary: boolean
}

/**
 * Reads what a MySQL or MariaDB server answers to COM_QUERY, without `CLIENT_DEPRECATE_EOF`.
 */
export class MysqlAnswers implements Answers {
  /** As the server has said it last. */
  isInTransaction = false
  /** In strings a backslash escapes; it does unless the session's `sql_mode` says otherwise. */
  hasEscapes = true
  readonly #source = new PacketSource()
  readonly #host: AnswerHost
  readonly #reading: Reading<never>
  #sink: ResultSink = NOBODY

  constructor(host: AnswerHost) {
    this.#host = host
    this.#reading = this.#answers()
  }

  into(sink: ResultSink): void {
    this.#sink = sink
  }

  read(bytes: Buffer): void {
    this.#source.add(bytes)
    this.#reading.next()
  }

  *#answers(): Reading<never> {
    // The server has let the client in.
    yield* this.#source.next()
    for (;;) {
      yield* this.#source.body(PACKET_BYTES)
      this.#host.ready()
      yield* this.#source.next()
      while (yield* this.#result()) yield* this.#source.next()
    }
  }

  /** One of the results of a statement; answers whether another follows. */
  *#result(): Reading<boolean> {
    const body = yield* this.#source.body(PACKET_BYTES)
    const [first] = body
    if (first === undefined) throw new ProtocolViolation('invalid answer')
    if (first === ANSWER.error) return this.#failed(body)
    if (first === ANSWER.ok) {
      const { rows, status } = readOk(body)
      this.#sink.done({ words: infoOf(body), rows })
      return this.#goesOn(status)
    }
    if (first === ANSWER.localFile) throw new ProtocolViolation('a file was asked for')
    const count = readInteger(body, 0).value
    if (count > COLUMNS_MAX) throw new ProtocolViolation('too many columns')
    const columns: MysqlColumn[] = []
    for (let at = 0; at < count; at++) {
      yield* this.#source.next()
      columns.push(columnOf(yield* this.#source.body(PACKET_BYTES)))
    }
    this.#sink.columns(columns)
    yield* this.#source.next()
    yield* this.#source.body(PACKET_BYTES)
    return yield* this.#rows(columns)
  }

  *#rows(columns: readonly MysqlColumn[]): Reading<boolean> {
    for (let rows = 0; ; rows++) {
      const length = yield* this.#source.next()
      const head = yield* this.#source.take(1)
      const first = head[0] as number
      if (first === ANSWER.error) return this.#failed(Buffer.concat([head, yield* this.#source.body(PACKET_BYTES)]))
      if (first === ANSWER.end && length < END_BYTES) {
        const status = (yield* this.#source.body(PACKET_BYTES)).readUInt16LE(2)
        this.#sink.done({ words: '', rows })
        return this.#goesOn(status)
      }
      yield* this.#row(columns, first)
    }
  }

  /** `first`: its first byte, which is read. */
  *#row(columns: readonly MysqlColumn[], first: number): Reading<void> {
    const values: (Value | undefined)[] = []
    let left = ROW_BYTES
    let head = first
    for (const [at, { isBinary }] of columns.entries()) {
      if (at > 0) head = (yield* this.#source.take(1))[0] as number
      if (head === NULL) values.push(undefined)
      else {
        const value = yield* this.#source.begin(yield* this.#integer(head), Math.min(VALUE_BYTES, left))
        left -= value.bytes.length
        values.push(isBinary && !isUtf8(value.bytes) ? hexOf(value) : textOf(value))
      }
    }
    this.#sink.row(values)
  }

  *#integer(head: number): Reading<number> {
    const size = head === 0xfc ? 2 : head === 0xfd ? 3 : head === 0xfe ? 8 : 0
    if (!size) return head
    return readInteger(Buffer.concat([Buffer.of(head), yield* this.#source.take(size)]), 0).value
  }

  #goesOn(status: number): boolean {
    this.isInTransaction = (status & STATUS.inTransaction) !== 0
    this.hasEscapes = (status & STATUS.noBackslashEscapes) === 0
    return (status & STATUS.moreResults) !== 0
  }

  #failed(body: Buffer): false {
    const { number, state, message } = readError(body)
    this.#sink.message(`ERROR ${number} (${state}): ${message}`, 'error')
    return false
  }
}

function columnOf(body: Buffer): MysqlColumn {
  let at = 0
  const words: string[] = []
  for (let field = 0; field < 6; field++) {
    const found = readLengthEncoded(body, at)
    words.push(found.bytes.toString())
    at = found.end
  }
  const [, schema = '', , table = '', name = '', column = ''] = words
  if (body.length < at + 8) throw new ProtocolViolation('packet is too short')
  return {
    name,
    source: table && column ? { table: [schema, table], column } : undefined,
    isBinary: body.readUInt16LE(at + 1) === BINARY,
    isNumber: NUMBERS.has(body[at + 7] as number),
  }
}

/** Message of the server besides the number of rows, such as `Rows matched: 1`. */
function infoOf(body: Buffer): string {
  const rows = readInteger(body, 1)
  const { end } = readInteger(body, rows.end)
  return body.subarray(end + 4).toString()
}

function hexOf({ bytes, isCut }: { bytes: Buffer; isCut: boolean }): Value {
  return { text: `0x${bytes.toString('hex', 0, HEX_BYTES)}`, isCut: isCut || bytes.length > HEX_BYTES }
}
