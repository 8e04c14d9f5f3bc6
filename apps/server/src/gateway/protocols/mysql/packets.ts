import { ProtocolViolation } from '../protocol-violation.ts'

/** A packet is the length of its body in three bytes and its number, then its body. */
export const HEADER_BYTES = 4
/** The body of a packet that another continues. */
export const FULL_BODY = 0xff_ffff

/** https://dev.mysql.com/doc/dev/mysql-server/latest/group__group__cs__capabilities__flags.html */
export const CAPABILITY = {
  longPassword: 1,
  foundRows: 1 << 1,
  longFlag: 1 << 2,
  connectWithDatabase: 1 << 3,
  noSchema: 1 << 4,
  odbc: 1 << 6,
  localFiles: 1 << 7,
  ignoreSpace: 1 << 8,
  protocol41: 1 << 9,
  interactive: 1 << 10,
  tls: 1 << 11,
  ignoreSigpipe: 1 << 12,
  transactions: 1 << 13,
  secureConnection: 1 << 15,
  multiStatements: 1 << 16,
  multiResults: 1 << 17,
  preparedMultiResults: 1 << 18,
  pluginAuth: 1 << 19,
  connectAttributes: 1 << 20,
  pluginAuthLength: 1 << 21,
  expiredPasswords: 1 << 22,
} as const

/**
 * Capabilities of MariaDB alone, in the last bytes of a field that others leave reserved; sent
 * where `longPassword` is not, which tells servers and clients of MySQL apart.
 * https://mariadb.com/kb/en/connection/#capabilities
 */
export const OF_MARIADB = { bulk: 1 << 2 } as const

/** First byte of what a client sends (`enum_server_command`). */
export const COMMAND = {
  quit: 0x01,
  initDatabase: 0x02,
  query: 0x03,
  fieldList: 0x04,
  refresh: 0x07,
  shutdown: 0x08,
  statistics: 0x09,
  processInfo: 0x0a,
  processKill: 0x0c,
  debug: 0x0d,
  ping: 0x0e,
  changeUser: 0x11,
  prepare: 0x16,
  execute: 0x17,
  longData: 0x18,
  closeStatement: 0x19,
  resetStatement: 0x1a,
  setOption: 0x1b,
  fetch: 0x1c,
  resetConnection: 0x1f,
  /** MariaDB only: a prepared statement with many rows of parameters. */
  executeBulk: 0xfa,
} as const

/** First byte of what a server answers, where it is not the count of a result's columns. */
export const ANSWER = { ok: 0x00, more: 0x01, localFile: 0xfb, end: 0xfe, error: 0xff } as const

/** In the status of a server (`SERVER_STATUS_flags_enum`). */
export const STATUS = {
  inTransaction: 1 << 0,
  autocommit: 1 << 1,
  moreResults: 1 << 3,
  cursorExists: 1 << 6,
  noBackslashEscapes: 1 << 9,
} as const

/** `body` must be shorter than `FULL_BODY`. */
export function packet(number: number, ...body: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUIntLE(
    body.reduce((sum, { length }) => sum + length, 0),
    0,
    3,
  )
  header[3] = number & 0xff
  return Buffer.concat([header, ...body])
}

/** A text that a zero ends. */
export const zeroEnded = (text: Buffer | string): Buffer => Buffer.concat([Buffer.from(text as string), Buffer.of(0)])

/** Bytes behind their length, as `readLengthEncoded` reads them. */
export function lengthEncoded(bytes: Buffer): Buffer {
  if (bytes.length < 0xfb) return Buffer.concat([Buffer.of(bytes.length), bytes])
  const length = Buffer.alloc(4, 0xfd)
  length.writeUIntLE(bytes.length, 1, 3)
  return Buffer.concat([length, bytes])
}

/** An integer of one, three, four or nine bytes. Throws ProtocolViolation when it is none. */
export function readInteger(bytes: Buffer, at: number): { value: number; end: number } {
  const first = bytes[at]
  const size = first === 0xfc ? 2 : first === 0xfd ? 3 : first === 0xfe ? 8 : 0
  if (first === undefined || first === 0xfb || first === 0xff || bytes.length < at + 1 + size)
    throw new ProtocolViolation('invalid integer')
  if (size === 8) return { value: Number(bytes.readBigUInt64LE(at + 1)), end: at + 9 }
  return { value: size ? bytes.readUIntLE(at + 1, size) : first, end: at + 1 + size }
}

/** Throws ProtocolViolation when it does not end within the bytes. */
export function readLengthEncoded(bytes: Buffer, at: number): { bytes: Buffer; end: number } {
  const { value, end } = readInteger(bytes, at)
  return readFixed(bytes, end, value)
}

/** Throws ProtocolViolation when it does not end within the bytes. */
export function readFixed(bytes: Buffer, at: number, length: number): { bytes: Buffer; end: number } {
  if (bytes.length < at + length) throw new ProtocolViolation('packet is too short')
  return { bytes: bytes.subarray(at, at + length), end: at + length }
}

/** Throws ProtocolViolation when it does not end within the bytes. */
export function readZeroEnded(bytes: Buffer, at: number): { bytes: Buffer; end: number } {
  const end = bytes.indexOf(0, at)
  if (end < 0) throw new ProtocolViolation('text without an end')
  return { bytes: bytes.subarray(at, end), end: end + 1 }
}

/** Error of a server. */
export interface ServerError {
  /** https://mariadb.com/kb/en/mariadb-error-code-reference/ */
  number: number
  /** Five characters. */
  state: string
  message: string
}

const MAX_WORDS = 4_000

/** The packet with which a server refuses something. */
export function errorPacket(sequence: number, { number, state, message }: ServerError): Buffer {
  const head = Buffer.alloc(3, ANSWER.error)
  head.writeUInt16LE(number, 1)
  return packet(sequence, head, Buffer.from(`#${state}${message.slice(0, MAX_WORDS)}`))
}

/** Error in the body of such a packet. */
export function readError(body: Buffer, textOf = (text: Buffer) => text.toString()): ServerError {
  const number = body.length < 3 ? 0 : body.readUInt16LE(1)
  const hasState = body[3] === '#'.charCodeAt(0)
  return {
    number,
    state: hasState ? body.toString('latin1', 4, 9) : 'HY000',
    message: textOf(body.subarray(hasState ? 9 : 3)),
  }
}

/** Answer to a statement that brings no rows, or to one whose rows have ended. */
export function readOk(body: Buffer): { rows: number; status: number } {
  const rows = readInteger(body, 1)
  const { end } = readInteger(body, rows.end)
  return { rows: rows.value, status: body.length < end + 2 ? 0 : body.readUInt16LE(end) }
}
