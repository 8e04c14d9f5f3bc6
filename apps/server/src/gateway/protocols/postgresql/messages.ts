import { ProtocolViolation } from '../protocol-violation.ts'

/** A message is its type and its length, which counts itself but not the type, then its body. */
export const HEADER_BYTES = 5

/**
 * Types of messages, by who sends them
 * (https://www.postgresql.org/docs/18/protocol-message-formats.html).
 */
export const CLIENT = {
  bind: code('B'),
  close: code('C'),
  copyDone: code('c'),
  copyFail: code('f'),
  describe: code('D'),
  execute: code('E'),
  flush: code('H'),
  functionCall: code('F'),
  parse: code('P'),
  password: code('p'),
  query: code('Q'),
  sync: code('S'),
  terminate: code('X'),
} as const

export const SERVER = {
  authentication: code('R'),
  backendKeyData: code('K'),
  bindComplete: code('2'),
  closeComplete: code('3'),
  commandComplete: code('C'),
  copyInResponse: code('G'),
  emptyQueryResponse: code('I'),
  errorResponse: code('E'),
  negotiateProtocolVersion: code('v'),
  noData: code('n'),
  noticeResponse: code('N'),
  parameterStatus: code('S'),
  parseComplete: code('1'),
  portalSuspended: code('s'),
  readyForQuery: code('Z'),
  rowDescription: code('T'),
} as const

/** A message with its header. */
export function message(type: number, ...body: readonly (Buffer | string)[]): Buffer {
  const parts = body.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part))
  const header = Buffer.alloc(5)
  header[0] = type
  header.writeInt32BE(4 + parts.reduce((sum, { length }) => sum + length, 0), 1)
  return Buffer.concat([header, ...parts])
}

export function int32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeInt32BE(value, 4 * at)
  return bytes
}

/** A text that a zero ends; undefined when it does not end within the bytes. */
export function textAt(bytes: Buffer, at: number): { text: Buffer; end: number } | undefined {
  const end = bytes.indexOf(0, at)
  return end < 0 ? undefined : { text: bytes.subarray(at, end), end: end + 1 }
}

/** As `textAt`. Throws ProtocolViolation when it does not end. */
export function needText(bytes: Buffer, at: number): { text: Buffer; end: number } {
  const found = textAt(bytes, at)
  if (!found) throw new ProtocolViolation('text without an end')
  return found
}

/** Error of the server, or one to send in its place (§53.8). */
export interface ErrorFields {
  /** Five characters (https://www.postgresql.org/docs/18/errcodes-appendix.html). */
  code: string
  message: string
}

/**
 * Fields of a message ErrorResponse or NoticeResponse, header included; of one that was cut as far
 * as it goes.
 */
export function errorFields(bytes: Buffer, textOf = (text: Buffer) => text.toString()): ErrorFields {
  const fields = { code: '', message: '' }
  for (let at = 5; at < bytes.length && bytes[at]; ) {
    const type = String.fromCharCode(bytes[at] as number)
    const { text, end } = textAt(bytes, at + 1) ?? { text: bytes.subarray(at + 1), end: bytes.length }
    if (type === 'C') fields.code = text.toString()
    if (type === 'M') fields.message = textOf(text)
    at = end
  }
  return fields
}

export type Severity = 'ERROR' | 'FATAL' | 'NOTICE' | 'WARNING'

/** An error, or a notice, as a server says it. */
export function report(severity: Severity, { code: sqlState, message: words }: ErrorFields): Buffer {
  const isError = severity === 'ERROR' || severity === 'FATAL'
  const fields = [`S${severity}`, `V${severity}`, `C${sqlState}`, `M${words.replaceAll('\0', ' ')}`]
  return message(isError ? SERVER.errorResponse : SERVER.noticeResponse, ...fields, Buffer.of(0))
}

function code(type: string): number {
  return type.charCodeAt(0)
}
