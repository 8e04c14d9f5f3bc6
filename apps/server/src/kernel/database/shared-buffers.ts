import { totalmem } from 'node:os'

const MEGABYTE = 1024 * 1024
const LEAST = 128
const MOST = 1024

/**
 * Memory that an embedded PostgreSQL may use to keep its tables and indexes: a sixteenth of the
 * memory of this process, taken as it reads. A search among millions of commands reads thousands of
 * pages of an index; pages that do not fit are read from the disk again and again.
 */
export function sharedBuffers(
  memory: number = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY),
): string {
  return `${Math.max(LEAST, Math.min(MOST, Math.floor(memory / 16 / MEGABYTE)))}MB`
}
