import { replayPath } from '../domains/terminal/recording/index.ts'
import { Asciicast } from '../gateway/kinds/terminal/asciicast.ts'
import { sealRecording } from '../gateway/recording/seal.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { type PastWork, SECONDS_BEFORE_STEP } from './past.ts'
import { promptOf } from './shell/shell.ts'
import type { Step } from './work.ts'

const SIZE = { cols: 120, rows: 30 }
const SECONDS_PER_KEY = 0.1

/** Something on the screen, so many seconds after what was before it. */
type Shown = readonly [seconds: number, text: string]

/** Records sessions as they would have been, one after the other, and seals them as any. */
export async function recordPast(kernel: Kernel, past: readonly PastWork[], signal: AbortSignal): Promise<void> {
  for (const one of past) {
    if (signal.aborted) return
    await record(kernel, one)
  }
}

async function record(kernel: Kernel, { session, machine, work }: PastWork): Promise<void> {
  const { id, user, asset, date_start } = session
  const path = (await replayPath(kernel, { id, date_start })).replace(/\.gz$/, '')
  // A clock that only this script moves. The recording counts from its start, which it takes to be
  // as long ago as it is by the system's clock.
  const ago = Date.now() - date_start.getTime()
  let clock = 0
  const recording = await Asciicast.open(path, {
    size: SIZE,
    title: `${user} ${asset}`,
    startedAt: date_start,
    now: () => clock,
  })
  clock = -ago
  const prompt = promptOf({ hostname: machine.hostname, username: work.as, isPlain: work.protocol === 'telnet' })
  for (const [seconds, text] of screenOf(work.steps, machine.hostname, prompt)) {
    clock += seconds * 1000
    recording.output(Buffer.from(text))
  }
  await recording.close()
  await sealRecording(kernel, id, path)
}

function* screenOf(steps: readonly Step[], hostname: string, prompt: string): Generator<Shown> {
  for (const { typed, answer, over = 0.3 } of steps) {
    yield [0, prompt]
    yield [SECONDS_BEFORE_STEP, '']
    for (const key of typed) yield [SECONDS_PER_KEY, key]
    yield [0, '\r\n']
    const lines = answer?.replaceAll('{host}', hostname).split('\n') ?? []
    if (!lines.length) yield [over, '']
    for (const line of lines) yield [over / lines.length, `${line}\r\n`]
  }
  yield [0, prompt]
  yield [SECONDS_BEFORE_STEP, 'logout\r\n']
}
