import { setTimeout } from 'node:timers/promises'

/** Settles after so many milliseconds, or as soon as the signal is aborted; never rejected. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  setTimeout(milliseconds, undefined, { signal }).catch(() => {})
