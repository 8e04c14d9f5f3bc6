import { textWidth } from '../../prompt/plain-text.ts'
import { ByteSource, type Reading, ROW_BYTES, textOf, VALUE_BYTES } from '../../protocols/byte-source.ts'
import { CLIENT, HEADER_BYTES, message, SERVER, textAt } from '../../protocols/postgresql/messages.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { type AnswerHost, type Answers, NOBODY } from '../answers.ts'
import type { ResultSink, Value } from '../output/result.ts'

/** Limit of a message that is read whole, in bytes: names of columns, errors, words. */
const MESSAGE_BYTES = 1024 * 1024
const [ROW_DESCRIPTION, DATA_ROW, COPY_DATA, COPY_OUT] = ['T', 'D', 'd', 'H'].map((one) => one.charCodeAt(0))
/** Types of numbers (`pg_type.oid`): integers, floating ones, numeric, oid, money. */
const NUMBERS = new Set([20, 21, 23, 26, 700, 701, 790, 1700])
/** Size of a column's description behind its name, in bytes. */
const COLUMN_BYTES = 18

/** State of a server's transaction: none, within one, or in one that has failed. */
export type TransactionState = 'I' | 'T' | 'E'

/** State of the server besides answers. */
export interface ServerState {
  transaction: TransactionState
  parameters: Map<string, string>
}

/** Nothing can be copied from a terminal, and the server waits until it gets an answer. */
const NO_COPY = message(CLIENT.copyFail, 'COPY FROM STDIN is not possible in this terminal: use INSERT')

/** Reads what a PostgreSQL server answers to simple queries (§53.7). */
export class PostgresqlAnswers implements Answers {
  readonly state: ServerState = { transaction: 'I', parameters: new Map() }
  readonly #source = new ByteSource()
  readonly #host: AnswerHost
  readonly #reading: Reading<never>
  #sink: ResultSink = NOBODY
  #hasColumns = false
  /** Text of the running statement, for the place that an error points at. */
  #statement = ''

  constructor(host: AnswerHost) {
    this.#host = host
    this.#reading = this.#messages()
  }

  into(sink: ResultSink, statement: string): void {
    this.#sink = sink
    this.#statement = statement
    this.#hasColumns = false
  }

  read(bytes: Buffer): void {
    this.#source.add(bytes)
    this.#reading.next()
  }

  *#messages(): Reading<never> {
    for (;;) {
      const head = yield* this.#source.take(HEADER_BYTES)
      const type = head[0] as number
      const length = head.readInt32BE(1) + 1 - HEADER_BYTES
      if (length < 0) throw new ProtocolViolation('invalid message length')
      if (type === DATA_ROW) yield* this.#row()
      else if (type === COPY_DATA)
        this.#sink.message(textOf(yield* this.#source.begin(length, VALUE_BYTES)).text, 'plain')
      else this.#message(type, (yield* this.#source.begin(length, MESSAGE_BYTES)).bytes)
    }
  }

  *#row(): Reading<void> {
    const count = (yield* this.#source.take(2)).readInt16BE()
    const values: (Value | undefined)[] = []
    let left = ROW_BYTES
    for (let at = 0; at < count; at++) {
      const length = (yield* this.#source.take(4)).readInt32BE()
      if (length < 0) values.push(undefined)
      else {
        const value = yield* this.#source.begin(length, Math.min(VALUE_BYTES, left))
        left -= value.bytes.length
        values.push(textOf(value))
      }
    }
    this.#sink.row(values)
  }

  #message(type: number, body: Buffer): void {
    switch (type) {
      case ROW_DESCRIPTION:
        this.#hasColumns = true
        this.#sink.columns(columnsOf(body))
        break
      case COPY_OUT:
        break
      case SERVER.commandComplete:
        this.#complete(textFrom(body, 0))
        break
      case SERVER.errorResponse:
        this.#sink.message(errorText(body, this.#statement), 'error')
        break
      case SERVER.noticeResponse:
        this.#sink.message(errorText(body, this.#statement), 'notice')
        break
      case SERVER.copyInResponse:
        this.#host.send(NO_COPY)
        break
      case SERVER.parameterStatus: {
        const name = textAt(body, 0)
        if (name) this.state.parameters.set(name.text.toString(), textFrom(body, name.end))
        break
      }
      case SERVER.readyForQuery:
        this.state.transaction = String.fromCharCode(body[0] ?? 0) as TransactionState
        this.#host.ready()
        break
    }
  }

  #complete(words: string): void {
    const rows = Number(/ (\d+)$/.exec(words)?.[1] ?? Number.NaN)
    this.#sink.done({ words, rows: this.#hasColumns && Number.isFinite(rows) ? rows : undefined })
    this.#hasColumns = false
  }
}

function columnsOf(body: Buffer) {
  const columns = []
  let at = 2
  for (let left = body.readInt16BE(0); left > 0; left--) {
    const name = textAt(body, at)
    if (!name || name.end + COLUMN_BYTES > body.length) break
    const [table, column] = [body.readUInt32BE(name.end), body.readInt16BE(name.end + 4)]
    columns.push({
      name: name.text.toString(),
      isNumber: NUMBERS.has(body.readInt32BE(name.end + 6)),
      source: table && column > 0 ? { table: [String(table)], column: String(column) } : undefined,
    })
    at = name.end + COLUMN_BYTES
  }
  return columns
}

const textFrom = (body: Buffer, at: number): string => textAt(body, at)?.text.toString() ?? ''

/** As psql shows it: severity and words, the place in the statement, detail and hint. */
function errorText(body: Buffer, statement: string): string {
  const fields = new Map<string, string>()
  for (let at = 0; at < body.length && body[at]; ) {
    const found = textAt(body, at + 1)
    if (!found) break
    fields.set(String.fromCharCode(body[at] as number), found.text.toString())
    at = found.end
  }
  const lines = [`${fields.get('S') ?? 'ERROR'}:  ${fields.get('M') ?? ''}`]
  const position = Number(fields.get('P'))
  if (position > 0) lines.push(...placeIn(statement, position))
  if (fields.has('D')) lines.push(`DETAIL:  ${fields.get('D')}`)
  if (fields.has('H')) lines.push(`HINT:  ${fields.get('H')}`)
  if (fields.has('W')) lines.push(`CONTEXT:  ${fields.get('W')}`)
  return lines.join('\n')
}

/** Characters of a long line that are shown around the place. */
const AROUND = 60

/** The line, and below it a mark at the place, which the server counts in characters from 1. */
function placeIn(statement: string, position: number): string[] {
  const before = Array.from(statement)
    .slice(0, position - 1)
    .join('')
  const number = before.split('\n').length
  const inLine = before.slice(before.lastIndexOf('\n') + 1)
  const [after = ''] = statement.slice(before.length).split('\n', 1)
  const start = inLine.slice(-AROUND)
  const head = `LINE ${number}: ${start.length < inLine.length ? '...' : ''}`
  return [`${head}${start}${after.slice(0, AROUND)}`, `${' '.repeat(textWidth(head + start))}^`]
}
