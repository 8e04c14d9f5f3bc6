import { randomBytes, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Bucket } from './bucket-store.ts'
import { StoreRefusal } from './recording-store.ts'

/** Some stores know only a moment later what they have. */
const LATER_MS = 500

const isMissing = (error: NodeJS.ErrnoException) => error.code === 'ENOENT'

/**
 * Writes a small file, reads it back, compares and deletes it: keys that may write and not read would be
 * found out only by who wants to see a recording. Throws StoreRefusal, or what the bucket throws.
 */
export async function probe(bucket: Pick<Bucket, 'put' | 'open' | 'remove'>): Promise<void> {
  const name = `probe-${randomUUID()}`
  const content = randomBytes(64)
  await bucket.put(name, content)
  try {
    const read = () => buffer(bucket.open(name))
    const found = await read()
      .catch(async (error) => {
        if (!isMissing(error)) throw error
        await pause(LATER_MS)
        return read()
      })
      .catch((error) => {
        throw isMissing(error) ? new StoreRefusal('unusable', '404') : error
      })
    if (!found.equals(content)) throw new StoreRefusal('unusable', 'other bytes than were written')
  } finally {
    await bucket.remove(name)
  }
}
