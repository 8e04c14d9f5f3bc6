/**
 * Traces of a page's modules when a test file ends: timers that are still to ring, and
 * listeners on the window and the document. In a browser they would end with the page.
 */

/** Kept where the next file finds them: this module is evaluated again for it. */
interface Traces {
  timers: Set<ReturnType<typeof setTimeout>>
  listeners: { target: EventTarget; parameters: Parameters<EventTarget['addEventListener']> }[]
}

const place = globalThis as typeof globalThis & { pageTraces?: Traces }

/** Begins to keep count, once for a page. */
export function watchPage(): void {
  if (place.pageTraces) return
  const traces: Traces = { timers: new Set(), listeners: [] }
  place.pageTraces = traces
  watchTimers(traces)
  for (const target of [window, document, document.documentElement, document.body]) watchListeners(traces, target)
}

function watchTimers({ timers }: Traces): void {
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const original = globalThis[name] as typeof setTimeout
    const watched = (...parameters: Parameters<typeof setTimeout>) => {
      const timer = original(...parameters)
      // jsdom draws its frames by an interval that it believes in until it has ended it itself.
      if (name === 'setTimeout' || !isCalledFrom('node_modules/jsdom/')) timers.add(timer)
      return timer
    }
    globalThis[name] = Object.assign(watched, original) as never
  }
}

function watchListeners({ listeners }: Traces, target: EventTarget): void {
  const original = target.addEventListener
  target.addEventListener = (...parameters: Parameters<EventTarget['addEventListener']>) => {
    // Libraries stay, and so does what they listen for.
    if (!isCalledFrom('node_modules/')) listeners.push({ target, parameters })
    original.apply(target, parameters)
  }
}

/** Whether the code that called the function which asks is of that place. */
function isCalledFrom(folder: string): boolean {
  return new Error('where').stack?.split('\n')[3]?.includes(folder) ?? false
}

export function forgetTimers(): void {
  const { timers } = place.pageTraces ?? {}
  for (const timer of timers ?? []) clearTimeout(timer)
  timers?.clear()
}

export function forgetListeners(): void {
  for (const { target, parameters } of place.pageTraces?.listeners.splice(0) ?? [])
    target.removeEventListener(parameters[0], parameters[1], parameters[2])
}
