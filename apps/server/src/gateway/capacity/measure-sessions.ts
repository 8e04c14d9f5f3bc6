import { rm } from 'node:fs/promises'
import type { Kernel } from '../../kernel/kernel.ts'
import { packedFiles, packRecording } from '../recording/packing.ts'
import { median, type Took, timed } from './figures.ts'
import type { LoopbackMachine } from './loopback-machine.ts'
import type { Pace } from './pace.ts'
import type { Scratch } from './scratch.ts'
import { sessionRows } from './scratch-rows.ts'
import { openTerminal } from './terminal.ts'

const SESSIONS = 12
const ROWS = 8
const AT_ONCE = 4

/**
 * A session from its opening to its end: both handshakes, its statements, its recording up to the
 * packed file. The server of the loopback does the handshake that a listener does.
 */
export async function measureSessions(kernel: Kernel, scratch: Scratch, machine: LoopbackMachine, pace: Pace) {
  const session = async (name: string) => {
    const connection = await machine.connect()
    try {
      const [terminal] = await Promise.all([openTerminal(scratch, machine, connection, name), sessionRows(kernel)])
      await terminal.prompted()
      await terminal.end()
      await packRecording(terminal.recording)
      for (const file of [terminal.recording, ...packedFiles(terminal.recording)]) await rm(file, { force: true })
    } finally {
      connection.close()
    }
  }
  const took: Took[] = []
  for (let n = 0; n < SESSIONS; n++) took.push(await pace.turn(() => timed(() => session(`session-${n}`))))
  const rows = await pace.turn(() =>
    timed(() =>
      Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (let n = 0; n < ROWS; n++) await sessionRows(kernel)
        }),
      ),
    ),
  )
  return {
    sessions: 1000 / median(took.map(({ milliseconds }) => milliseconds)),
    session_cpu: median(took.map(({ cpu }) => cpu)),
    session_threads: median(took.map(({ threads }) => threads)),
    session_rows: (AT_ONCE * ROWS * 1000) / rows.milliseconds,
  }
}
