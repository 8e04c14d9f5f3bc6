import { ByteSource, type Reading, ROW_BYTES, VALUE_BYTES } from '../../protocols/byte-source.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import type { AnswerHost, Answers } from '../../repl/answers.ts'

const LINE_BYTES = 64 * 1024
/** Deeper than any server answers. */
const MAX_DEPTH = 128
/** Elements of one answer that are kept. */
const MAX_ELEMENTS = 20_000
const LENGTH = /^(?:0|-1|[1-9]\d{0,9})$/

/** A value, or the beginning of a long one. */
export interface RedisText {
  bytes: Buffer
  isCut: boolean
}

/** Answer of a server; null where there is nothing. */
export type RedisReply = RedisText | RedisReply[] | { error: string } | null

/** Reads what a Redis server answers in the second version of its protocol, as values of a bounded size. */
export class RedisReplies implements Answers {
  /** Elements of it were let go. */
  isCut = false
  #last: RedisReply = null
  readonly #source = new ByteSource()
  readonly #host: AnswerHost
  readonly #reading: Reading<never>
  #bytesLeft = 0
  #elementsLeft = 0

  constructor(host: AnswerHost) {
    this.#host = host
    this.#reading = this.#answers()
  }

  /** The answer before it is not to be taken for the next one. */
  into(): void {
    this.#last = null
  }

  /** The last answer. */
  get last(): RedisReply {
    return this.#last
  }

  read(bytes: Buffer): void {
    this.#source.add(bytes)
    this.#reading.next()
  }

  *#answers(): Reading<never> {
    // The server has let the client in.
    yield* this.#source.line(LINE_BYTES)
    for (;;) {
      this.#host.ready()
      this.#bytesLeft = ROW_BYTES
      this.#elementsLeft = MAX_ELEMENTS
      const reply = yield* this.#reply(0)
      this.#last = reply
      this.isCut = this.#elementsLeft < 0
    }
  }

  *#reply(depth: number): Reading<RedisReply> {
    const line = Buffer.from(yield* this.#source.line(LINE_BYTES))
    const text = line.toString('latin1', 1)
    switch (String.fromCharCode(line[0] ?? 0)) {
      case '+':
      case ':':
        return { bytes: line.subarray(1), isCut: false }
      case '-':
        return { error: line.toString('utf8', 1) }
      case '$':
        return yield* this.#text(lengthOf(text))
      case '*':
        return yield* this.#array(lengthOf(text), depth)
      default:
        throw new ProtocolViolation('an answer of an unknown type')
    }
  }

  *#text(length: number): Reading<RedisReply> {
    if (length < 0) return null
    const { bytes, isCut } = yield* this.#source.begin(length, Math.min(VALUE_BYTES, this.#bytesLeft))
    this.#bytesLeft -= bytes.length
    const kept = { bytes: Buffer.from(bytes), isCut }
    yield* this.#source.skip(2)
    return kept
  }

  *#array(length: number, depth: number): Reading<RedisReply> {
    if (depth >= MAX_DEPTH) throw new ProtocolViolation('an answer is nested too deep')
    if (length < 0) return null
    const elements: RedisReply[] = []
    for (let left = length; left > 0; left--) {
      const element = yield* this.#reply(depth + 1)
      if (this.#elementsLeft-- > 0) elements.push(element)
    }
    return elements
  }
}

function lengthOf(text: string): number {
  if (!LENGTH.test(text)) throw new ProtocolViolation('an answer of an impossible length')
  return Number(text)
}
