/** The first page has drawn its answers by then, but for slow lines. */
const IDLE_AFTER_MS = 2000

/** Once the page stands and nothing else is to be done; the answer takes the request back. */
export function whenIdle(work: () => void): () => void {
  if (!('requestIdleCallback' in window)) return () => {}
  const timer = setTimeout(() => requestIdleCallback(work), IDLE_AFTER_MS)
  return () => clearTimeout(timer)
}
