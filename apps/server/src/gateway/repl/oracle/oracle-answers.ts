import type { OracleWire } from '../../protocols/oracle/oracle-wire.ts'
import { type AnswerHost, type Answers, NOBODY } from '../answers.ts'
import type { ResultSink } from '../output/result.ts'
import { doneWords } from './done-words.ts'

/** The code of a request to break off the running statement. */
const CANCELLED = 'ORA-01013'

/** Shows what an Oracle database answers to a statement, as the driver reads it. */
export class OracleAnswers implements Answers {
  #sink: ResultSink = NOBODY
  #statement = ''

  constructor(host: AnswerHost, wire: OracleWire) {
    let hasTable = false
    wire.hear({
      heard: (answer) => {
        switch (answer.event) {
          case 'columns':
            hasTable = true
            return this.#sink.columns(answer.columns)
          case 'rows':
            for (const row of answer.rows) this.#sink.row(row)
            return
          case 'notice':
            return this.#sink.message(answer.words, 'notice')
          case 'done':
            this.#sink.done({ words: hasTable ? '' : doneWords(this.#statement, answer.rows), rows: answer.rows })
            hasTable = false
            return
          case 'failed':
            hasTable = false
            return this.#sink.message(answer.error.message, answer.error.code === CANCELLED ? 'notice' : 'error')
          case 'ready':
            return host.ready()
        }
      },
    })
  }

  into(sink: ResultSink, statement: string): void {
    this.#sink = sink
    this.#statement = statement
  }

  /** The driver has read it. */
  read(): void {}
}
