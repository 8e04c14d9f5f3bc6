import { randomBytes, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { Bucket } from './bucket-store.ts'
import { StoreRefusal } from './recording-store.ts'

/**
 * Writes a small file, reads it back, compares and deletes it: keys that may write and not read would be
 * found out only by who wants to see a recording. Throws StoreRefusal, or what the bucket throws.
 */
export async function probe(bucket: Pick<Bucket, 'put' | 'open' | 'remove'>): Promise<void> {
  const name = `probe-${randomUUID()}`
  const content = randomBytes(64)
  await bucket.put(name, content)
  try {
    const found = await buffer(bucket.open(name)).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new StoreRefusal('unusable', '404') : error
    })
    if (!found.equals(content)) throw new StoreRefusal('unusable', 'other bytes than were written')
  } finally {
    await bucket.remove(name)
  }
}
