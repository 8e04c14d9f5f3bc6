/**
 * The machine's side of the smallest protocol of statements: each line is one, and `OK <rows>` or
 * `ERROR <text>` ends its answer.
 */
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import type { StatementTarget } from './streams.ts'

export function echoTarget(host: string, port: number): StatementTarget {
  const socket = connect(port, host).on('error', () => {})
  return {
    start(onAnswer, onEnd) {
      createInterface({ input: socket }).on('line', (line) => {
        const rows = /^OK (\d+)$/.exec(line)?.[1]
        const error = /^ERROR (.*)$/.exec(line)?.[1]
        onAnswer(Buffer.from(`${line}\n`), rows ? { rows: Number(rows) } : error ? { error } : undefined)
      })
      socket.once('close', () => onEnd({}))
    },
    send: ({ bytes }) => void socket.write(bytes),
    cancel: () => void socket.write('cancelled\n'),
    pending: () => socket.writableLength,
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => void socket.end(),
  }
}
