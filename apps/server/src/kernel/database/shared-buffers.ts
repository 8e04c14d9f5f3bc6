import { totalmem } from 'node:os'

const MEGABYTE = 1024 * 1024
const LEAST = 128
const MOST = 1024

/**
 * What an embedded PostgreSQL may keep of its tables and indexes in memory of its own: a sixteenth
 * of what this process may have, which it takes as it reads. A search among millions of commands
 * reads thousands of pages of an index; what does not fit is read from the disk again and again.
 */
export function sharedBuffers(
  memory: number = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY),
): string {
  return `${Math.max(LEAST, Math.min(MOST, Math.floor(memory / 16 / MEGABYTE)))}MB`
}
