import type { SshConnection } from '../../kernel/ssh/connect.ts'
import type { Forwards, TargetStream } from '../kinds/terminal/streams.ts'

const NOTHING = Buffer.alloc(0)

/**
 * A machine in which no program runs: connections are forwarded from there, beside the session. Its
 * output are the lines of the recording, which say what went where.
 */
export function forwardingAt(connection: SshConnection, forwards: Forwards): TargetStream {
  let isOver = false
  return {
    start(onOutput, onEnd) {
      connection.client.once('close', () => {
        if (!isOver) onEnd({ isLost: true })
      })
      forwards.reached({
        client: connection.client,
        note: (line) => onOutput(Buffer.from(`${line}\n`), 'stdout'),
        touch: () => onOutput(NOTHING, 'stdout'),
      })
    },
    write: () => {},
    pending: () => 0,
    onceTaken: (then) => then(),
    endInput: () => {},
    signal: () => {},
    resize: () => {},
    // Only the lines of the recording are held back by a slow disk.
    pause: () => {},
    resume: () => {},
    drop: () => forwards.drop(),
    close() {
      isOver = true
      connection.close()
    },
  }
}
