import { setFlagsFromString } from 'node:v8'

/**
 * Lets the engine weigh the buffers of streams against the whole memory. By itself it walks the
 * whole heap after every 64 MB of them, which a transfer makes several times a second: a third of
 * its time (measured with `npm run bench ssh`).
 */
export function weighBuffersWithHeap(): void {
  setFlagsFromString('--external-memory-accounted-in-global-limit')
}
