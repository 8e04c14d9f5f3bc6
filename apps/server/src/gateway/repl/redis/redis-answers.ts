import { ByteSource, type Reading, VALUE_BYTES } from '../../protocols/byte-source.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { quotedText } from '../../protocols/redis/command-text.ts'
import { type AnswerHost, type Answers, NOBODY } from '../answers.ts'
import type { ResultSink } from '../output/result.ts'

const LINE_BYTES = 64 * 1024
/** Deeper than any server answers. */
const MAX_DEPTH = 128
const LENGTH = /^(?:0|-1|[1-9]\d{0,9})$/
/** Lines that are shown together. */
const LINES_TOGETHER = 200
/** Commands whose answer is a text of several lines, which is shown as it is. */
const TEXTS = /^(?:info|lolwut|client list|client info|cluster info|cluster nodes|memory doctor|latency doctor)\b/i
const DIGITS = /^select (\d+)$/i

/** Reads what a Redis server answers in the second version of its protocol, and writes it as `redis-cli` does. */
export class RedisAnswers implements Answers {
  /** The number of the database that was chosen last. */
  database = ''
  isInTransaction = false
  readonly #source = new ByteSource()
  readonly #host: AnswerHost
  readonly #reading: Reading<never>
  #sink: ResultSink = NOBODY
  #command = ''
  #lines: string[] = []

  constructor(host: AnswerHost) {
    this.#host = host
    this.#reading = this.#answers()
  }

  into(sink: ResultSink, command: string): void {
    this.#sink = sink
    this.#command = command
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
      yield* this.#reply('', '', 0)
      this.#show()
    }
  }

  /** `lead` is before its first line, `indent` before the others. */
  *#reply(lead: string, indent: string, depth: number): Reading<void> {
    const line = (yield* this.#source.line(LINE_BYTES)).toString()
    const text = line.slice(1)
    switch (line[0]) {
      case '+':
        if (!depth) this.#done(text)
        this.#line(lead + text)
        return
      case '-':
        if (depth) this.#line(`${lead}(error) ${text}`)
        else this.#sink.message(`(error) ${text}`, 'error')
        if (!depth && /^exec(?:abort)?/i.test(`${this.#command} `)) this.isInTransaction = false
        return
      case ':':
        this.#line(`${lead}(integer) ${text}`)
        return
      case '$':
        return yield* this.#text(lead, lengthOf(text), depth)
      case '*':
        return yield* this.#array(lead, indent, lengthOf(text), depth)
      default:
        throw new ProtocolViolation('an answer of an unknown type')
    }
  }

  *#text(lead: string, length: number, depth: number): Reading<void> {
    if (length < 0) {
      this.#line(`${lead}(nil)`)
      return
    }
    const { bytes, isCut } = yield* this.#source.begin(length, VALUE_BYTES)
    yield* this.#source.skip(2)
    const isText = !depth && TEXTS.test(this.#command)
    this.#line(isText ? bytes.toString() : `${lead}${quotedText(bytes)}${isCut ? '..' : ''}`)
  }

  *#array(lead: string, indent: string, length: number, depth: number): Reading<void> {
    if (depth >= MAX_DEPTH) throw new ProtocolViolation('an answer is nested too deep')
    if (!depth && /^exec$/i.test(this.#command)) this.isInTransaction = false
    if (length < 0) this.#line(`${lead}(nil)`)
    if (length === 0) this.#line(`${lead}(empty array)`)
    const width = String(length).length
    for (let at = 1; at <= length; at++) {
      const own = `${String(at).padStart(width)}) `
      yield* this.#reply((at === 1 ? lead : indent) + own, indent + ' '.repeat(own.length), depth + 1)
    }
  }

  /** Place of the client by a status. */
  #done(status: string): void {
    if (status !== 'OK') return
    const database = DIGITS.exec(this.#command)?.[1]
    if (database !== undefined) this.database = database
    if (/^multi$/i.test(this.#command)) this.isInTransaction = true
    if (/^discard$/i.test(this.#command)) this.isInTransaction = false
  }

  #line(line: string): void {
    this.#lines.push(line)
    if (this.#lines.length >= LINES_TOGETHER) this.#show()
  }

  #show(): void {
    if (this.#lines.length) this.#sink.message(this.#lines.join('\n'), 'plain')
    this.#lines = []
  }
}

function lengthOf(text: string): number {
  if (!LENGTH.test(text)) throw new ProtocolViolation('an answer of an impossible length')
  return Number(text)
}
