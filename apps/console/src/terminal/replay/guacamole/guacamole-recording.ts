/** Recordings of Guacamole as the player takes them: a piece is text of the protocol, its screen as well. */
import { instructionsOf } from '@sallyport/contract/guacamole/instructions.ts'
import type { ReplayIndex } from '@sallyport/contract/replay.ts'
import type { Stage } from '../playback-screen.ts'
import type { Recording, ReplayEvent } from '../recording.ts'
import { GuacamoleDisplay } from './display.ts'

/** Instructions that change nothing on the screen: a moment that has nothing else is idle. */
const SILENT = new Set(['sync', 'nop', 'ack', 'key', 'audio', 'ready', 'args', 'name', 'log'])
const decoder = new TextDecoder()
/** More pieces are not fetched for one picture, whatever an index says. */
const MAX_BEFORE = 8

/**
 * The moments of a piece. The clock of the recording is in its `sync` instructions; `origin` is its
 * second 0, in milliseconds, and `from` the second in which the piece begins.
 */
export function guacamoleEvents(text: string, origin: number, from = 0): ReplayEvent[] {
  const bytes = new TextEncoder().encode(text)
  const events: ReplayEvent[] = []
  let [begin, end, time] = [0, 0, from]
  let isSilent = true
  const add = () => {
    if (!isSilent) events.push({ time, code: 'o', data: decoder.decode(bytes.subarray(begin, end)) })
    begin = end
    isSilent = true
  }
  for (const one of instructionsOf(bytes)) {
    end = one.to
    if (!SILENT.has(one.opcode)) isSilent = false
    if (one.opcode !== 'sync') continue
    const seconds = (Number(one.text(0)) - origin) / 1000
    if (Number.isFinite(seconds)) time = Math.max(time, seconds)
    add()
  }
  add()
  return events
}

/** `texts`: reads the text of a piece. A piece whose beginning is not known is shown from one before it. */
export function guacamoleRecording(
  recording: Recording,
  { origin = 0, parts }: Pick<ReplayIndex, 'origin' | 'parts'>,
  texts: (n: number) => Promise<string>,
): Recording {
  const screen = async (n: number) => {
    let first = n
    while (first > 0 && n - first < MAX_BEFORE && parts[first]?.follows) first--
    const before = Array.from({ length: n - first }, (_, place) => texts(first + place))
    return [await recording.screen(first), ...(await Promise.all(before))].join('')
  }
  return {
    ...recording,
    piece: async (n) => guacamoleEvents(await texts(n), origin, parts[n]?.time),
    screen,
    openStage: openGuacamoleStage,
  }
}

function openGuacamoleStage(box: HTMLElement): Stage {
  const canvas = document.createElement('canvas')
  canvas.className = 'rp-desktop'
  box.append(canvas)
  const context = canvas.getContext('2d')
  let asked = 0
  const draw = () => {
    asked = 0
    const screen = display.layers.get(0)
    if (!context || !screen?.width || !screen.height) return
    if (canvas.width !== screen.width || canvas.height !== screen.height)
      Object.assign(canvas, { width: screen.width, height: screen.height })
    display.paint(context)
  }
  const display = new GuacamoleDisplay(() => {
    asked ||= requestAnimationFrame(draw)
  })
  return {
    reset(_size, contents) {
      display.reset()
      display.write(contents)
    },
    write: (text) => display.write(text),
    resize: () => {},
    backlog: () => display.backlog,
    fit: () => {},
    dispose() {
      display.reset()
      cancelAnimationFrame(asked)
      canvas.remove()
    },
  }
}
