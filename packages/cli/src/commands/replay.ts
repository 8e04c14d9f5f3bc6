import { setTimeout as pause } from 'node:timers/promises'
import { parseReplayEvent, type ReplayIndex, type ReplayIndexPending } from '@sallyport/contract/replay.ts'
import { type Command, type Context, textOf } from '../command.ts'
import { Failure } from '../exit.ts'
import { AFTERWARDS, harmless } from '../harmless.ts'

/** Seconds of silence that are played, where nothing is said. */
const STANDARD_IDLE = '2'
const LOOK_MS = 1000

export const replay: Command = {
  does: 'play the recording of a terminal session',
  usage: 'SESSION [--speed 1] [--idle 2] [--at SECONDS]',
  options: {
    speed: { type: 'string', short: 's', does: 'how many times as fast; 0 prints all of it at once' },
    idle: { type: 'string', short: 'i', does: 'seconds of silence at most' },
    at: { type: 'string', does: 'second to begin at' },
  },
  async run(context, given) {
    const { say } = context
    const [id] = given.words
    if (!id) throw new Failure('usage', say('Name a session; sallyport sessions lists them'))
    const [speed, idle, at] = [
      textOf(given, 'speed') ?? '1',
      textOf(given, 'idle') ?? STANDARD_IDLE,
      textOf(given, 'at') ?? '0',
    ].map(Number) as [number, number, number]
    if (![speed, idle, at].every((number) => number >= 0))
      throw new Failure('usage', say('--speed, --idle and --at want numbers'))
    const base = `/api/v1/terminal/sessions/${encodeURIComponent(id)}/replay/`
    const index = await indexOf(context, base)
    if (index.marks) throw new Failure('failed', say('This is the recording of a desktop: play it in the console'))
    if (context.json) {
      context.answer(index, () => '')
      return undefined
    }
    await play(context, base, index, { speed, idle, at })
    return undefined
  },
}

/** Long recordings get theirs when it is first asked for. */
async function indexOf(context: Context, base: string): Promise<ReplayIndex> {
  const client = context.client()
  for (;;) {
    const index = await client.get<ReplayIndex | ReplayIndexPending>(`${base}index/`)
    if (!('status' in index)) return index
    if (index.status === 'unavailable')
      throw new Failure('failed', context.say('This recording can only be read as a whole: play it in the console'))
    await pause(LOOK_MS)
  }
}

async function play(
  context: Context,
  base: string,
  { parts, cols, rows }: ReplayIndex,
  { speed, idle, at }: { speed: number; idle: number; at: number },
): Promise<void> {
  const { columns = cols, rows: lines = rows } = process.stdout
  if (process.stdout.isTTY && (columns < cols || lines < rows))
    context.tell(context.say('The recording has {{cols}}×{{rows}} characters, this terminal fewer', { cols, rows }))
  const client = context.client()
  const first = Math.max(
    0,
    parts.findLastIndex(({ time }) => time <= at),
  )
  const screen = harmless()
  // A recording contains whatever a machine has sent: none of it stays in this terminal.
  const leave = () => {
    if (process.stdout.isTTY) process.stdout.write(AFTERWARDS)
  }
  const interrupt = () => {
    leave()
    process.exit(130)
  }
  process.on('SIGINT', interrupt)
  try {
    if (first > 0) {
      const text = await client.text(`${base}screen/${first}/`)
      process.stdout.write(screen(text))
    }
    let clock = at
    for (let n = first; n < parts.length; n++) {
      const text = await client.text(`${base}part/${n}/`)
      for (const line of text.split('\n')) {
        const event = parseReplayEvent(line)
        if (event?.code !== 'o') continue
        const silence = Math.min(Math.max(0, event.time - clock), idle)
        clock = Math.max(clock, event.time)
        if (silence && speed) await pause((silence / speed) * 1000)
        process.stdout.write(screen(event.data))
      }
    }
  } finally {
    process.off('SIGINT', interrupt)
    leave()
  }
}
