import { randomUUID } from 'node:crypto'
import type ssh2 from 'ssh2'
import type { Kernel } from '../../kernel/kernel.ts'
import { StatementLog } from '../kinds/statements/statement-log.ts'
import { StatementSession } from '../kinds/statements/statement-session.ts'
import type { Statement, StatementTarget } from '../kinds/statements/streams.ts'
import { median, type Took, timed } from './figures.ts'
import type { LoopbackMachine } from './loopback-machine.ts'
import type { Pace } from './pace.ts'
import type { Scratch } from './scratch.ts'
import { commandRows, scratchSession } from './scratch-rows.ts'

/** Statements of one piece of the measurement, and pieces. */
const STATEMENTS = 50
const PIECES = 6
/** Rows in a batch of the journal. */
const BATCH = 500
const BATCHES = 4
const TEXT = 'SELECT name, amount FROM orders WHERE id = 48151623'

/**
 * Small statements one after the other through a session: judged, written ahead, recorded. They go
 * to the loopback, whose cipher costs what TLS costs; the protocol of a database is not read.
 */
export async function measureStatements(kernel: Kernel, scratch: Scratch, machine: LoopbackMachine, pace: Pace) {
  const connection = await machine.connect()
  let ending = async () => {}
  try {
    const channel = await machine.statements(connection)
    const recording = await StatementLog.open(scratch.path('statements.statements'), {
      title: 'capacity',
      startedAt: new Date(),
    })
    let answered = () => {}
    const live = new StatementSession({
      ...scratch.sessionParts(),
      owner: {
        write() {
          answered()
          return true
        },
        refuse: () => {},
        tell: () => {},
        close: () => {},
      },
      target: lines(channel),
      recording,
      onEnd: () => recording.close(),
    })
    ending = () => live.end('left')
    const statement = () =>
      new Promise<void>((resolve) => {
        answered = resolve
        live.submit({ text: TEXT, bytes: Buffer.from(`${TEXT}\n`) })
      })
    const took: Took[] = []
    for (let n = 0; n < PIECES; n++)
      took.push(
        await pace.turn(() =>
          timed(async () => {
            for (let one = 0; one < STATEMENTS; one++) await statement()
          }),
        ),
      )
    return {
      statements: (STATEMENTS * 1000) / median(took.map(({ milliseconds }) => milliseconds)),
      statement_cpu: median(took.map(({ cpu }) => cpu)) / STATEMENTS,
      command_rows: await measureRows(kernel, pace),
    }
  } finally {
    await ending()
    connection.close()
  }
}

/** Rows a second, as the journal stores them: one batch after the other. */
async function measureRows(kernel: Kernel, pace: Pace): Promise<number> {
  const { id: session, org_id, user, asset, system_user } = scratchSession()
  const took: number[] = []
  for (let n = 0; n < BATCHES; n++) {
    const rows = Array.from({ length: BATCH }, (_, at) => ({
      ...{ id: randomUUID(), session, org_id, user, asset, system_user },
      ...{ input: `${TEXT} ${at}`, output: '1 row', timestamp: Math.floor(Date.now() / 1000) },
      statement: { text: `${TEXT} ${at}`, bytes: TEXT.length, database: 'orders', program: 'capacity' },
      outcome: { sha256: '0'.repeat(64), milliseconds: 1, rows: 1 },
    }))
    const { milliseconds } = await pace.turn(() => timed(() => commandRows(kernel, rows)))
    took.push(milliseconds)
  }
  return (BATCH * 1000) / median(took)
}

/** A server that answers each line with one. */
function lines(channel: ssh2.ClientChannel): StatementTarget {
  const sent: Statement[] = []
  return {
    start({ answer, outcome, end }) {
      channel.on('data', (bytes: Buffer) => {
        answer(bytes)
        for (let n = bytes.filter((byte) => byte === 0x0a).length; n > 0; n--) {
          const statement = sent.shift()
          if (statement) outcome(statement, { rows: 1 })
        }
      })
      channel.once('close', () => end({}))
    },
    send(statement) {
      sent.push(statement)
      channel.write(statement.bytes)
    },
    pass: (bytes) => void channel.write(bytes),
    cancel: () => {},
    pending: () => channel.writableLength,
    onceTaken: (then) => void channel.write(Buffer.alloc(0), () => then()),
    pause: () => void channel.pause(),
    resume: () => void channel.resume(),
    close: () => void channel.close(),
  }
}
