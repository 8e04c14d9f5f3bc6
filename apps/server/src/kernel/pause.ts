/** Settles after so many milliseconds, or as soon as the signal is aborted; never rejected. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const over = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', over)
      resolve()
    }
    const timer = setTimeout(over, milliseconds)
    signal.addEventListener('abort', over)
  })
}
