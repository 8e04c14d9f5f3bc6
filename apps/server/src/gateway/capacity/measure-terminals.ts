import { median, quantile, type Took, timed } from './figures.ts'
import { COMMAND_BYTES, type LoopbackMachine, PRINT } from './loopback-machine.ts'
import type { Pace } from './pace.ts'
import type { Scratch } from './scratch.ts'
import { type MeasuredTerminal, openBareTerminal, openTerminal, type Typed } from './terminal.ts'

/** Terminals that print while keys are measured: enough that their turns come in between. */
const OTHERS = 20
const PRINTED_EACH_MS = 1_000
const KEYS = 120
/** Keys on a line. */
const LINE = 24
const COMMANDS = 20
const COMMAND = 'ls -la /etc'
const MEGABYTES = 4
const MEGABYTE = 1024 * 1024

/** A key, until its echo is there. */
async function key(at: Typed): Promise<number> {
  const since = performance.now()
  const echo = at.shown(1)
  at.type('x')
  await echo
  return performance.now() - since
}

async function command(at: Typed, text = COMMAND): Promise<void> {
  const echo = at.shown(text.length)
  at.type(text)
  await echo
  await enter(at)
}

/** Ends the line, and waits for the prompt. */
async function enter(at: Typed): Promise<void> {
  // The answer comes before the prompt.
  const answer = at.shown(COMMAND_BYTES)
  at.type('\r')
  await answer
  await at.prompted()
}

/** Keys in a session and without one, in turn, while other sessions print. */
export async function measureKeys(scratch: Scratch, machine: LoopbackMachine, pace: Pace) {
  const [own, shared] = await Promise.all([machine.connect(), machine.connect()])
  const open: MeasuredTerminal[] = []
  let timer: NodeJS.Timeout | undefined
  try {
    const terminal = await openTerminal(scratch, machine, own, 'keys')
    open.push(terminal)
    const bare = await openBareTerminal(machine, shared)
    // The connection is theirs together: each listens to it, and none of them ends it.
    shared.client.setMaxListeners(0)
    const kept = { client: shared.client, close: () => {} }
    for (let n = 0; n < OTHERS; n++)
      open.push(await pace.turn(() => openTerminal(scratch, machine, kept, `other-${n}`)))
    await Promise.all([terminal.prompted(), bare.prompted()])
    for (const at of [terminal, bare]) await command(at)
    timer = setInterval(() => {
      for (const one of open.slice(1)) one.type('\r')
    }, PRINTED_EACH_MS)
    const through: number[] = []
    const straight: number[] = []
    for (let n = 0; n < KEYS; n++) {
      through.push(await pace.turn(() => key(terminal)))
      straight.push(await pace.turn(() => key(bare)))
      if (n % LINE === LINE - 1) for (const at of [terminal, bare]) await enter(at)
    }
    clearInterval(timer)
    await pace.rest(100)
    const keys = await pace.turn(() =>
      timed(async () => {
        for (let n = 0; n < KEYS; n++) await key(terminal)
      }),
    )
    await enter(terminal)
    const commands = await pace.turn(() =>
      timed(async () => {
        for (let n = 0; n < COMMANDS; n++) await command(terminal)
      }),
    )
    const cpu = keys.cpu / KEYS
    return {
      key: Math.max(0, median(through) - median(straight)),
      key_p99: Math.max(0, quantile(through, 0.99) - quantile(straight, 0.99)),
      key_cpu: cpu,
      // Its text was typed in one piece.
      command_cpu: commands.cpu / COMMANDS,
    }
  } finally {
    clearInterval(timer)
    await Promise.all(open.map((one) => one.end()))
    own.close()
    shared.close()
  }
}

/** Output of one terminal; answers the path of its recording as well. */
export async function measureOutput(scratch: Scratch, machine: LoopbackMachine, pace: Pace) {
  const connection = await machine.connect()
  const terminal = await openTerminal(scratch, machine, connection, 'output')
  try {
    await terminal.prompted()
    const one = `${PRINT}1`
    const took: Took[] = []
    for (let n = 0; n < MEGABYTES; n++)
      took.push(
        await pace.turn(() =>
          timed(async () => {
            const echo = terminal.shown(one.length)
            terminal.type(one)
            await echo
            const all = terminal.shown(MEGABYTE)
            terminal.type('\r')
            await all
            await terminal.prompted()
          }),
        ),
      )
    await terminal.end()
    return {
      recording: terminal.recording,
      output: (MEGABYTE / 1e6 / median(took.map(({ milliseconds }) => milliseconds))) * 1000,
      output_cpu: median(took.map(({ cpu }) => cpu)) / (MEGABYTE / 1e6),
    }
  } finally {
    await terminal.end()
    connection.close()
  }
}
