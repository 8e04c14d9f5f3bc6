import { ProtocolViolation } from '../protocol-violation.ts'
import { digitAt, ZERO } from './digits.ts'
import { HeldPieces } from './held-pieces.ts'
import { inlineArguments } from './inline-command.ts'

/** As Redis has it (`PROTO_INLINE_MAX_SIZE`, `proto-max-bulk-len`, and what it takes of arguments). */
const MAX_LINE = 64 * 1024
const MAX_BULK = 512 * 1024 * 1024
const MAX_ARGUMENTS = 1024 * 1024
/** Limit of a command that is judged and recorded, in bytes; the rest goes on unseen. */
const MAX_COMMAND = 1024 * 1024
/** Limit of a command of somebody who is not signed in, as in Redis, in bytes. */
const MAX_STRANGER = 16 * 1024
/** `$0`, and two ends of lines. */
const LEAST_ARGUMENT = 6
const [ARRAY, BULK, LINE_FEED] = ['*', '$', '\n'].map((one) => one.charCodeAt(0)) as [number, number, number]
const LENGTH = /^(?:0|-?[1-9]\d{0,9})$/
/** No length has more. */
const MAX_DIGITS = 10

/** A command as a client sent it. */
export interface RedisCommand {
  /** Arguments of a command; of one that is cut, as far as they go. */
  arguments: Buffer[]
  /** In the form of an array; of one that is cut the beginning. */
  bytes: Buffer
  isCut: boolean
}

export interface CommandVisitor {
  command(command: RedisCommand): void
  /** The rest of a command that is cut. */
  rest(bytes: Buffer): void
}

/** How far a command has been read. */
interface Read {
  arguments: Buffer[]
  /** Offset of the end of what has been read. */
  at: number
  /** Arguments that have not begun. */
  left: number
  /** Bytes to come of the one that has, with its end of line. */
  missing: number
}

/**
 * Finds the commands in what a client of Redis sends
 * (https://redis.io/docs/latest/develop/reference/protocol-spec/): arrays of bulk strings, which go
 * on as they came, and lines, which are sent on as such arrays, so that the server reads of them
 * what was judged. What the server would not answer is left out.
 */
export class CommandWalker {
  readonly #visitor: CommandVisitor
  readonly #maxCommand: number
  readonly #held = new HeldPieces()
  /** The missing rest of a command that was cut. */
  #rest = { left: 0, missing: 0 }

  constructor(visitor: CommandVisitor, maxCommand = MAX_COMMAND) {
    this.#visitor = visitor
    this.#maxCommand = maxCommand
  }

  /** Throws ProtocolViolation for what the server would refuse to read. */
  walk(bytes: Buffer): void {
    const chunk = this.#held.take(bytes)
    if (!chunk) return
    let at = this.#passRest(chunk, 0)
    while (at < chunk.length) {
      const end = chunk[at] === ARRAY ? this.#array(chunk, at) : this.#line(chunk, at)
      if (end === undefined) return
      at = this.#passRest(chunk, end)
    }
  }

  /** Answers where the command ends; undefined when its end has not come, and it is held. */
  #array(chunk: Buffer, at: number): number | undefined {
    const read = arrayAt(chunk, at)
    if (!read) return this.#hold(chunk, at)
    const isCut = read.left > 0 || read.missing > 0
    const room = this.#maxCommand - (chunk.length - at)
    const least = read.at + read.missing + read.left * LEAST_ARGUMENT - chunk.length
    if (isCut && room > 0) return this.#hold(chunk, at, Math.min(room, Math.max(1, least)))
    if (isCut) this.#rest = { left: read.left, missing: read.missing }
    if (read.arguments.length)
      this.#visitor.command({ arguments: read.arguments, bytes: chunk.subarray(at, read.at), isCut })
    return read.at
  }

  /** `least`: with fewer bytes more it is not whole. */
  #hold(chunk: Buffer, at: number, least = 1): undefined {
    this.#held.keep(chunk.subarray(at), least)
  }

  #line(chunk: Buffer, at: number): number | undefined {
    const line = lineAt(chunk, at)
    if (!line) return this.#hold(chunk, at)
    if (line.arguments.length)
      this.#visitor.command({ arguments: line.arguments, bytes: commandBytes(line.arguments), isCut: false })
    return line.end
  }

  #passRest(chunk: Buffer, from: number): number {
    const { left, missing } = this.#rest
    if (!left && !missing) return from
    const read: Read = { arguments: [], at: from, left, missing }
    skipMissing(chunk, read)
    if (!read.missing) readArguments(chunk, read)
    this.#rest = { left: read.left, missing: read.missing }
    if (read.at > from) this.#visitor.rest(chunk.subarray(from, read.at))
    return read.at
  }
}

/**
 * The first command in what somebody sends who is not signed in, without arguments where the server
 * would not answer; undefined when its end has not come. Throws ProtocolViolation.
 */
export function firstCommand(bytes: Buffer): { value: Buffer[]; end: number } | undefined {
  const isArray = bytes[0] === ARRAY
  const read = isArray ? arrayAt(bytes, 0) : undefined
  const line = isArray ? undefined : lineAt(bytes, 0)
  const whole = read && !read.left && !read.missing ? { arguments: read.arguments, end: read.at } : line
  if ((whole?.end ?? bytes.length) > MAX_STRANGER) throw new ProtocolViolation('unauthenticated bulk length')
  return whole && { value: whole.arguments, end: whole.end }
}

/** A command in the form of an array, as far as it has come; undefined when nothing of it can be read. */
function arrayAt(chunk: Buffer, at: number): Read | undefined {
  const count = lengthAt(chunk, at, MAX_ARGUMENTS, 'multibulk')
  if (!count) return undefined
  const read: Read = { arguments: [], at: count.end, left: Math.max(0, count.length), missing: 0 }
  readArguments(chunk, read)
  return read
}

/** A command that is sent as a line. */
function lineAt(chunk: Buffer, at: number): { arguments: Buffer[]; end: number } | undefined {
  const end = chunk.indexOf(LINE_FEED, at)
  if ((end < 0 ? chunk.length : end) - at > MAX_LINE) throw new ProtocolViolation('too big inline request')
  if (end < 0) return undefined
  const found = inlineArguments(chunk.subarray(at, end))
  if (!found) throw new ProtocolViolation('unbalanced quotes in request')
  return { arguments: found, end: end + 1 }
}

/** Reads as many arguments as have come; of the last one, what has. */
function readArguments(chunk: Buffer, read: Read): void {
  while (read.left > 0 && read.at < chunk.length) {
    if (chunk[read.at] !== BULK) throw new ProtocolViolation(`expected '$', got '${sign(chunk[read.at] as number)}'`)
    const header = lengthAt(chunk, read.at, MAX_BULK, 'bulk')
    if (!header) return
    if (header.length < 0) throw new ProtocolViolation('invalid bulk length')
    const end = header.end + header.length
    read.arguments.push(chunk.subarray(header.end, end))
    read.left--
    read.at = header.end
    read.missing = header.length + 2
    skipMissing(chunk, read)
    if (read.missing) return
    if (chunk[end] !== 13 || chunk[end + 1] !== LINE_FEED) throw new ProtocolViolation('expected the end of a line')
  }
}

function skipMissing(chunk: Buffer, read: Read): void {
  const taken = Math.min(read.missing, chunk.length - read.at)
  read.missing -= taken
  read.at += taken
}

/** The number in a header like `*3` or `$12`; undefined when its line has not ended. */
function lengthAt(
  chunk: Buffer,
  at: number,
  max: number,
  what: 'bulk' | 'multibulk',
): { length: number; end: number } | undefined {
  let end = at + 1
  let length = 0
  // Digits alone, as all but some have it.
  for (let digit = digitAt(chunk, end); digit >= 0 && end <= at + MAX_DIGITS; digit = digitAt(chunk, ++end))
    length = 10 * length + digit
  const isPlain = end > at + 1 && chunk[at + 1] !== ZERO && chunk[end] === 13 && chunk[end + 1] === LINE_FEED
  if (!isPlain || length > max) return otherLengthAt(chunk, at, max, what)
  return { length, end: end + 2 }
}

function otherLengthAt(
  chunk: Buffer,
  at: number,
  max: number,
  what: 'bulk' | 'multibulk',
): { length: number; end: number } | undefined {
  const end = chunk.indexOf('\r\n', at)
  const isTooLong = (end < 0 ? chunk.length : end) - at > 12
  const text = isTooLong ? '' : chunk.toString('latin1', at + 1, end)
  if (!isTooLong && end < 0) return undefined
  if (!LENGTH.test(text) || Number(text) > max) throw new ProtocolViolation(`invalid ${what} length`)
  return { length: Number(text), end: end + 2 }
}

const sign = (byte: number): string => (byte > 32 && byte < 127 ? String.fromCharCode(byte) : '?')

/** A command as it is sent to a server. */
export function commandBytes(parts: readonly (Buffer | string)[]): Buffer {
  const pieces: Buffer[] = [Buffer.from(`*${parts.length}\r\n`)]
  for (const part of parts) {
    const bytes = Buffer.from(part as string)
    pieces.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'))
  }
  return Buffer.concat(pieces)
}
