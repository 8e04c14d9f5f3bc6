import { useSyncExternalStore } from 'react'

/** How often relative times are drawn again: while seconds are shown, and after that. */
const STEPS_MS = { second: 1000, minute: 15_000 } as const

type Step = keyof typeof STEPS_MS

/** One timer for all that wait for the same step, only while there are some. */
function clock(step: Step) {
  const listeners = new Set<() => void>()
  let ticks = 0
  let timer: ReturnType<typeof setInterval> | undefined
  const tick = () => {
    ticks += 1
    for (const listener of listeners) listener()
  }
  return {
    subscribe(listener: () => void) {
      listeners.add(listener)
      timer ??= setInterval(tick, STEPS_MS[step])
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
    read: () => ticks,
  }
}

const CLOCKS: Readonly<Record<Step, ReturnType<typeof clock>>> = { second: clock('second'), minute: clock('minute') }

/** Draws the component again as time passes, for words such as *3 minutes ago*; `ageMs` is what they say. */
export function useTick(ageMs: number): void {
  const { subscribe, read } = CLOCKS[Math.abs(ageMs) < 60_000 ? 'second' : 'minute']
  useSyncExternalStore(subscribe, read)
}
