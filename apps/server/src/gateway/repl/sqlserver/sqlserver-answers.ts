import { isError, type SqlServerWire } from '../../protocols/sqlserver/sqlserver-wire.ts'
import type { ServerMessage } from '../../protocols/sqlserver/tokens.ts'
import { type AnswerHost, type Answers, NOBODY } from '../answers.ts'
import type { ResultSink } from '../output/result.ts'

const TOO_LATE = 'The batch had run to its end before it could be cancelled.'

/** Shows what a SQL Server answers to a batch, as the wire reads it. */
export class SqlServerAnswers implements Answers {
  #sink: ResultSink = NOBODY

  constructor(host: AnswerHost, wire: SqlServerWire) {
    let hasTable = false
    wire.hear({
      columns: (columns) => {
        hasTable = true
        this.#sink.columns(columns)
      },
      row: (values) => this.#sink.row(values),
      message: (report) => this.#sink.message(wordsOf(report), kindOf(report)),
      done: ({ rows }) => {
        // A statement that counts nothing, such as SET, has no summary.
        if (hasTable || rows !== undefined) this.#sink.done({ words: '', rows })
        hasTable = false
      },
      cancelled: ({ isTooLate }) => {
        hasTable = false
        this.#sink.message(isTooLate ? TOO_LATE : 'Operation cancelled by user.', 'notice')
      },
      ready: () => host.ready(),
    })
  }

  into(sink: ResultSink): void {
    this.#sink = sink
  }

  /** The wire has read it. */
  read(): void {}
}

/** Output of a program is shown as it is. */
const kindOf = (report: ServerMessage) =>
  isError(report) ? 'error' : report.level || report.number ? 'notice' : 'plain'

/** As the server's own tools write it. */
function wordsOf(report: ServerMessage): string {
  const { number, level, state, line, procedure, text } = report
  if (!isError(report)) return text
  const where = procedure ? `, Procedure ${procedure}` : ''
  return `Msg ${number}, Level ${level}, State ${state}${where}, Line ${line}\n${text}`
}
