/**
 * The machine's side of the smallest protocol of statements: each line is one, and `OK <rows>` or
 * `ERROR <text>` ends its answer.
 */
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import type { Statement, StatementTarget } from './streams.ts'

export function echoTarget(host: string, port: number): StatementTarget {
  const socket = connect(port, host).on('error', () => {})
  const sent: Statement[] = []
  return {
    start({ answer, outcome, end }) {
      createInterface({ input: socket }).on('line', (line) => {
        answer(Buffer.from(`${line}\n`))
        const rows = /^OK (\d+)$/.exec(line)?.[1]
        const error = /^ERROR (.*)$/.exec(line)?.[1]
        const statement = rows || error ? sent.shift() : undefined
        if (statement) outcome(statement, rows ? { rows: Number(rows) } : { error })
      })
      socket.once('close', () => end({}))
    },
    send(statement) {
      sent.push(statement)
      socket.write(statement.bytes)
    },
    pass: (bytes) => void socket.write(bytes),
    cancel: () => void socket.write('cancelled\n'),
    pending: () => socket.writableLength,
    onceTaken: (then) => void socket.write('', () => then()),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => void socket.end(),
  }
}
