import { setFlagsFromString } from 'node:v8'

/**
 * Has the engine weigh stream buffers against the whole memory. By default it walks the heap after
 * every 64 MB of them, which a transfer makes several times a second: a third of its time (measured
 * with `npm run bench ssh`).
 */
export function weighBuffersWithHeap(): void {
  setFlagsFromString('--external-memory-accounted-in-global-limit')
}
