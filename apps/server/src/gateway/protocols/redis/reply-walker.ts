import { Contiguous } from '../contiguous.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import { digitAt, ZERO } from './digits.ts'

/** Deeper than any server answers. */
const MAX_DEPTH = 128
/** Limit of a text that is looked at, in bytes; the rest passes unseen. */
const MAX_LINE = 64 * 1024
const MAX_LENGTH = 0x7fff_ffff
/** Words like `OK`, `QUEUED`, and the kinds of messages. */
const MAX_WORD = 16
/** Limit of an error's text that is kept, in bytes. */
const ERROR_BYTES = 1024
const NOTHING = Buffer.alloc(0)
const [CARRIAGE_RETURN, LINE_FEED] = [13, 10] as const
const TEXT = '$'.charCodeAt(0)
/** A text of a length with more is left to those who look closely. */
const MAX_DIGITS = 9
const LENGTH = /^(?:0|-1|[1-9]\d{0,9})$/

const NAMES: Record<string, string> = {
  '+': 'status',
  '-': 'error',
  ':': 'integer',
  $: 'string',
  '*': 'array',
  _: 'nil',
  '#': 'boolean',
  ',': 'double',
  '(': 'big number',
  '!': 'error',
  '=': 'string',
  '%': 'map',
  '~': 'set',
  '>': 'push',
  '|': 'attribute',
}

/** Facts about an answer, or about a message that a server sends by itself. */
export interface Reply {
  /** Its type as people call it; of a short status its word. */
  type: string
  /** Elements of an array, set or map. */
  count?: number
  error?: string
  /** Its first element, where that is a short text: what kind of message it is. */
  word?: string
  /** The last number among its elements: of how many channels there are messages still. */
  number?: number
}

export interface ReplyVisitor {
  /** Returns the client's answer instead of a server's error; undefined: the error itself. */
  instead(error: string): Buffer | undefined
  /** The server has said it whole. */
  reply(reply: Reply): void
}

/** An aggregate that is being read. */
interface Frame {
  /** Elements to come. */
  left: number
  /** Counts as no element of what it is in: a push, an attribute. */
  isAside: boolean
}

/**
 * Finds the answers of a Redis server, of either version of the protocol
 * (https://redis.io/docs/latest/develop/reference/protocol-spec/). Walks their headers; bytes go on
 * as they came.
 */
export class ReplyWalker {
  readonly #visitor: ReplyVisitor
  readonly #forClient = new Contiguous()
  readonly #frames: Frame[] = []
  #held: Buffer = NOTHING
  /** Bytes to come of a text, with its end of line. */
  #missing = 0
  /** A line that is too long to be gathered goes on unseen up to its end. */
  #isLongLine = false
  #reply: Reply | undefined

  constructor(visitor: ReplyVisitor) {
    this.#visitor = visitor
  }

  /** Whether all bytes so far are whole answers. */
  get isBetweenReplies(): boolean {
    return !this.#frames.length && !this.#missing && !this.#held.length && !this.#isLongLine
  }

  /** Answers what goes to the client. Throws ProtocolViolation. */
  read(bytes: Buffer): Buffer {
    const chunk = this.#held.length ? Buffer.concat([this.#held, bytes]) : bytes
    this.#held = NOTHING
    let at = 0
    /** Begin of the bytes that were not passed on. */
    let from = 0
    while (at < chunk.length) {
      if (this.#missing) {
        at = this.#skip(chunk, at)
        continue
      }
      at = this.#skipTexts(chunk, at)
      if (at >= chunk.length) break
      const lineFeed = chunk.indexOf(LINE_FEED, at)
      if (lineFeed < 0) {
        if (!this.#isLongLine && chunk.length - at <= MAX_LINE) break
        this.#passLine(chunk, at)
        at = chunk.length
        break
      }
      if (this.#isLongLine) {
        this.#isLongLine = false
        this.#elementOver()
      } else {
        const end = lineFeed - 1
        if (chunk[end] !== CARRIAGE_RETURN || end <= at) throw new ProtocolViolation('expected the end of a line')
        const type = String.fromCharCode(chunk[at] as number)
        if (this.#isCutWord(type, chunk, at, end)) break
        const instead = this.#instead(type, chunk, at, end)
        if (instead) {
          this.#forClient.add(chunk.subarray(from, at))
          this.#forClient.add(instead)
          from = lineFeed + 1
        }
        this.#header(type, chunk, at + 1, end)
      }
      at = lineFeed + 1
    }
    this.#forClient.add(chunk.subarray(from, at))
    this.#held = chunk.subarray(at)
    return this.#forClient.take()
  }

  /**
   * Texts within an array, of which nothing is to be known, in a loop of their own: there may be millions. Ends at what
   * is anything else, has not come whole, or is the last of its array.
   */
  #skipTexts(chunk: Buffer, from: number): number {
    const frame = this.#frames.at(-1)
    if (!frame || this.#isLongLine || this.#reply?.word === undefined) return from
    let at = from
    let { left } = frame
    for (; left > 1 && chunk[at] === TEXT; left--) {
      let end = at + 1
      let length = 0
      for (let digit = digitAt(chunk, end); digit >= 0 && end < at + MAX_DIGITS; digit = digitAt(chunk, ++end))
        length = 10 * length + digit
      const isPlain = end > at + 1 && (chunk[at + 1] !== ZERO || end === at + 2)
      if (!isPlain || chunk[end] !== CARRIAGE_RETURN || chunk[end + 1] !== LINE_FEED) break
      const next = end + length + 4
      if (next > chunk.length) break
      at = next
    }
    frame.left = left
    return at
  }

  #instead(type: string, chunk: Buffer, at: number, end: number): Buffer | undefined {
    if (type !== '-' || this.#frames.length) return undefined
    return this.#visitor.instead(chunk.toString('utf8', at + 1, end))
  }

  /** Whether this may be the word that says what kind of message it is, and is not there whole. */
  #isCutWord(type: string, chunk: Buffer, at: number, end: number): boolean {
    if (type !== '$' || this.#frames.length !== 1 || this.#reply?.word !== undefined) return false
    const length = Number(chunk.toString('latin1', at + 1, end))
    return length <= MAX_WORD && chunk.length < end + 2 + length
  }

  #skip(chunk: Buffer, at: number): number {
    const taken = Math.min(this.#missing, chunk.length - at)
    this.#missing -= taken
    if (!this.#missing) this.#elementOver()
    return at + taken
  }

  /** A line that is too long to be gathered. */
  #passLine(chunk: Buffer, at: number): void {
    if (this.#isLongLine) return
    const type = String.fromCharCode(chunk[at] as number)
    if (!'+-('.includes(type)) throw new ProtocolViolation('a line is too long')
    if (!this.#frames.length) {
      this.#reply = { type: NAMES[type] as string }
      if (type === '-') this.#reply.error = chunk.toString('utf8', at + 1, at + ERROR_BYTES)
    }
    this.#isLongLine = true
  }

  /** The line of an element, whose text is from `at` to `end`. */
  #header(type: string, chunk: Buffer, at: number, end: number): void {
    const name = NAMES[type]
    if (!name) throw new ProtocolViolation('an answer of an unknown type')
    if (!this.#frames.length) this.#reply = { type: name }
    if ('+-:_#,('.includes(type)) {
      this.#scalar(type, chunk, at, end)
      this.#elementOver()
      return
    }
    const text = chunk.toString('latin1', at, Math.min(end, at + 12))
    const length = Number(text)
    if (!LENGTH.test(text) || length > MAX_LENGTH) throw new ProtocolViolation('an answer of an impossible length')
    if (length < 0) {
      if (!this.#frames.length && this.#reply) this.#reply.type = 'nil'
      this.#elementOver()
    } else if ('$!='.includes(type)) this.#text(type, length, chunk, end + 2)
    else this.#aggregate(type, length)
  }

  #scalar(type: string, chunk: Buffer, at: number, end: number): void {
    const reply = this.#reply as Reply
    const depth = this.#frames.length
    if (depth === 1) {
      reply.word ??= ''
      if (type === ':') reply.number = Number(chunk.toString('latin1', at, end))
    } else if (depth) return
    else if (type === '-') reply.error = chunk.toString('utf8', at, Math.min(end, at + ERROR_BYTES))
    else if (type === '+' && end - at <= MAX_WORD) reply.type = chunk.toString('latin1', at, end)
  }

  #text(type: string, length: number, chunk: Buffer, at: number): void {
    this.#missing = length + 2
    const reply = this.#reply as Reply
    const depth = this.#frames.length
    if (depth === 1) reply.word ??= length <= MAX_WORD ? chunk.toString('latin1', at, at + length) : ''
    else if (!depth && type === '!') reply.error = chunk.toString('utf8', at, at + Math.min(length, ERROR_BYTES))
  }

  #aggregate(type: string, length: number): void {
    const depth = this.#frames.length
    if (depth >= MAX_DEPTH) throw new ProtocolViolation('an answer is nested too deep')
    const reply = this.#reply as Reply
    if (!depth) reply.count = length
    else if (depth === 1) reply.word ??= ''
    const left = type === '%' || type === '|' ? 2 * length : length
    if (left) this.#frames.push({ left, isAside: type === '>' || type === '|' })
    else if (type !== '>' && type !== '|') this.#elementOver()
    else if (!depth) this.#over()
  }

  /** An element has ended, and with it what it was the last of. */
  #elementOver(): void {
    for (;;) {
      const frame = this.#frames.at(-1)
      if (!frame) {
        this.#over()
        return
      }
      if (--frame.left > 0) return
      this.#frames.pop()
      if (!frame.isAside) continue
      if (!this.#frames.length) this.#over()
      return
    }
  }

  #over(): void {
    const reply = this.#reply
    this.#reply = undefined
    if (reply && reply.type !== 'attribute') this.#visitor.reply(reply)
  }
}
