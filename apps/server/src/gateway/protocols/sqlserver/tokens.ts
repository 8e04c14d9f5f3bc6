/** Answers of a SQL Server: tokens, one behind the other ([MS-TDS] §2.2.7). */
import { ByteSource, type Reading, ROW_BYTES, VALUE_BYTES } from '../byte-source.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import { byte, readType, type Type, variantType } from './types.ts'
import { NUMBERS, valueText } from './values.ts'

const TOKEN = {
  ...{ returnStatus: 0x79, columns: 0x81, tableNames: 0xa4, columnInfo: 0xa5, order: 0xa9 },
  ...{ error: 0xaa, info: 0xab, loginAck: 0xad, features: 0xae, row: 0xd1, rowWithNulls: 0xd2 },
  ...{ changed: 0xe3, sessionState: 0xe4, done: 0xfd, doneProcedure: 0xfe, doneInProcedure: 0xff },
} as const
const NO_COLUMNS = 0xffff
/** More columns than a server can answer. */
const COLUMNS_MAX = 4096
const NULL_SHORT = 0xffff
/** Lengths of what comes in chunks: NULL, or anything. */
const NULL_CHUNKS = 0xffffffffffffffffn
const FEATURES_END = 0xff
/** Values of the types that are numbers and dates are shorter. */
const SHORT_BYTES = 64

/** In the status of the end of a statement. */
const DONE = { more: 0x1, error: 0x2, counted: 0x10, attention: 0x20 } as const
/** Types of changes that matter (§2.2.7.9). */
export const CHANGED = { database: 1, packetBytes: 4, begun: 8, committed: 9, rolledBack: 10, ended: 17, routed: 20 }

/** Message of a server about a statement. */
export interface ServerMessage {
  number: number
  state: number
  /** Above 10 it is an error. */
  level: number
  text: string
  procedure: string
  line: number
}

export interface TokenColumn {
  name: string
  isNumber: boolean
  type: Type
}

export interface TokenListener {
  columns(columns: readonly TokenColumn[]): void
  row(values: readonly ({ text: string; isCut: boolean } | undefined)[]): void
  message(message: ServerMessage): void
  /** A statement has ended; `rows` where the server has counted them. `isLast`: all of the batch has, and well. */
  done(done: { rows: number | undefined; isLast: boolean }): void
  /** The cancelled request has ended. */
  cancelled(): void
  /** `value`: a text or bytes, by what changed. */
  changed(what: number, value: Buffer): void
  /** Somebody is signed in. `version`: of the server, as it calls itself. */
  signedIn(version: string): void
}

/** Reads tokens as they come: no value, of any length, is in memory whole. */
export class TokenReader {
  readonly #source = new ByteSource()
  readonly #listener: TokenListener
  readonly #reading: Reading<never>
  #columns: readonly TokenColumn[] = []
  #isWithin = false
  /** Bytes of the row that may still be kept. */
  #room = 0

  constructor(listener: TokenListener) {
    this.#listener = listener
    this.#reading = this.#tokens()
  }

  /** Whether a token has begun, and not ended. */
  get isWithin(): boolean {
    return this.#isWithin
  }

  /** Throws ProtocolViolation. */
  read(bytes: Buffer): void {
    this.#source.add(bytes)
    this.#reading.next()
  }

  *#tokens(): Reading<never> {
    for (;;) {
      this.#isWithin = false
      const token = yield* byte(this.#source)
      this.#isWithin = true
      yield* this.#token(token)
    }
  }

  *#token(token: number): Reading<void> {
    switch (token) {
      case TOKEN.columns:
        return yield* this.#readColumns()
      case TOKEN.row:
        return yield* this.#row(() => false)
      case TOKEN.rowWithNulls: {
        const nulls = yield* this.#source.take(Math.ceil(this.#columns.length / 8))
        return yield* this.#row((at) => (((nulls[at >> 3] as number) >> (at & 7)) & 1) === 1)
      }
      case TOKEN.done:
      case TOKEN.doneProcedure:
      case TOKEN.doneInProcedure:
        return yield* this.#done()
      case TOKEN.error:
      case TOKEN.info:
        return this.#message(yield* this.#body())
      case TOKEN.changed:
        return this.#changed(yield* this.#body())
      case TOKEN.loginAck:
        return this.#signedIn(yield* this.#body())
      case TOKEN.order:
      case TOKEN.tableNames:
      case TOKEN.columnInfo:
        return yield* this.#source.skip((yield* this.#source.take(2)).readUInt16LE())
      case TOKEN.returnStatus:
        return yield* this.#source.skip(4)
      case TOKEN.sessionState:
        return yield* this.#source.skip((yield* this.#source.take(4)).readUInt32LE())
      case TOKEN.features:
        while ((yield* byte(this.#source)) !== FEATURES_END)
          yield* this.#source.skip((yield* this.#source.take(4)).readUInt32LE())
        return
      default:
        throw new ProtocolViolation('unknown token')
    }
  }

  *#body(): Reading<Buffer> {
    return yield* this.#source.take((yield* this.#source.take(2)).readUInt16LE())
  }

  *#readColumns(): Reading<void> {
    const count = (yield* this.#source.take(2)).readUInt16LE()
    if (count === NO_COLUMNS) return
    if (count > COLUMNS_MAX) throw new ProtocolViolation('too many columns')
    const columns: TokenColumn[] = []
    while (columns.length < count) {
      // A type of the user's own, and flags.
      yield* this.#source.take(6)
      const type = yield* readType(this.#source)
      const name = (yield* this.#source.take((yield* byte(this.#source)) * 2)).toString('utf16le')
      columns.push({ name, type, isNumber: NUMBERS.has(type.family) })
    }
    this.#columns = columns
    this.#listener.columns(columns)
  }

  *#row(isNull: (column: number) => boolean): Reading<void> {
    const values: ({ text: string; isCut: boolean } | undefined)[] = []
    this.#room = ROW_BYTES
    for (const [at, { type }] of this.#columns.entries()) values.push(isNull(at) ? undefined : yield* this.#value(type))
    this.#listener.row(values)
  }

  /** Undefined for NULL. */
  *#value(type: Type): Reading<{ text: string; isCut: boolean } | undefined> {
    const { length } = type
    if (length === 'chunks') return yield* this.#chunks(type)
    if (typeof length === 'object') return valueText(type, yield* this.#source.take(length.fixed))
    if (length === 'byte') {
      const count = yield* byte(this.#source)
      return count ? valueText(type, yield* this.#source.take(count)) : undefined
    }
    if (length === 'long') return yield* this.#variant()
    if (length === 'pointer') {
      const pointer = yield* byte(this.#source)
      if (!pointer) return undefined
      // The pointer, and its timestamp.
      yield* this.#source.skip(pointer + 8)
      return yield* this.#begin(type, (yield* this.#source.take(4)).readUInt32LE())
    }
    const count = (yield* this.#source.take(2)).readUInt16LE()
    return count === NULL_SHORT ? undefined : yield* this.#begin(type, count)
  }

  *#begin(type: Type, count: number): Reading<{ text: string; isCut: boolean }> {
    const { bytes, isCut } = yield* this.#source.begin(count, Math.min(VALUE_BYTES, this.#room))
    this.#room -= bytes.length
    return valueText(type, bytes, isCut)
  }

  *#chunks(type: Type): Reading<{ text: string; isCut: boolean } | undefined> {
    if ((yield* this.#source.take(8)).readBigUInt64LE() === NULL_CHUNKS) return undefined
    const kept: Buffer[] = []
    let room = Math.min(VALUE_BYTES, this.#room)
    this.#room -= room
    let isCut = false
    for (;;) {
      const count = (yield* this.#source.take(4)).readUInt32LE()
      if (!count) {
        this.#room += room
        return valueText(type, Buffer.concat(kept), isCut)
      }
      const piece = yield* this.#source.begin(count, room)
      kept.push(Buffer.from(piece.bytes))
      room -= piece.bytes.length
      isCut ||= piece.isCut
    }
  }

  *#variant(): Reading<{ text: string; isCut: boolean } | undefined> {
    const count = (yield* this.#source.take(4)).readUInt32LE()
    if (!count) return undefined
    const [token = 0, properties = 0] = yield* this.#source.take(2)
    const type = variantType(token, yield* this.#source.take(properties))
    const length = count - 2 - properties
    const isText = ['text', 'unicode', 'bytes'].includes(type.family)
    if (length < 0 || (!isText && length > SHORT_BYTES)) throw new ProtocolViolation('invalid variant')
    return isText ? yield* this.#begin(type, length) : valueText(type, yield* this.#source.take(length))
  }

  *#done(): Reading<void> {
    const bytes = yield* this.#source.take(12)
    const status = bytes.readUInt16LE()
    this.#columns = []
    if (status & DONE.attention) return this.#listener.cancelled()
    const rows = status & DONE.counted ? Number(bytes.readBigUInt64LE(4)) : undefined
    this.#listener.done({ rows, isLast: (status & (DONE.more | DONE.error)) === 0 })
  }

  #message(body: Buffer): void {
    const text = textAt(body, 6, 2)
    const server = textAt(body, text.end, 1)
    const procedure = textAt(body, server.end, 1)
    if (body.length < procedure.end + 4) throw new ProtocolViolation('token is too short')
    this.#listener.message({
      number: body.readInt32LE(),
      state: body[4] as number,
      level: body[5] as number,
      text: text.text,
      procedure: procedure.text,
      line: body.readInt32LE(procedure.end),
    })
  }

  #changed(body: Buffer): void {
    const [what = 0, length = 0] = body
    const isText = what === CHANGED.database || what === CHANGED.packetBytes
    this.#listener.changed(what, body.subarray(2, 2 + length * (isText ? 2 : 1)))
  }

  #signedIn(body: Buffer): void {
    const name = textAt(body, 5, 1)
    const version = body.subarray(name.end)
    if (version.length < 4) throw new ProtocolViolation('token is too short')
    const plain = name.text.replaceAll('\0', '').trim()
    this.#listener.signedIn(`${plain} ${version[0]}.${version[1]}.${version.readUInt16BE(2)}`)
  }
}

/** A text with its length in characters before it, in so many bytes. Throws ProtocolViolation. */
function textAt(body: Buffer, at: number, lengthBytes: 1 | 2): { text: string; end: number } {
  if (body.length < at + lengthBytes) throw new ProtocolViolation('token is too short')
  const start = at + lengthBytes
  const end = start + body.readUIntLE(at, lengthBytes) * 2
  if (body.length < end) throw new ProtocolViolation('token is too short')
  return { text: body.toString('utf16le', start, end), end }
}
