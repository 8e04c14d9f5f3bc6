import { createHash } from 'node:crypto'
import { isDamaged, unpacked } from '../packed-file.ts'
import { readNoFollow } from './no-follow.ts'

const READ_BYTES = 256 * 1024
/** A small file can expand to very much. */
const MOST_BYTES = 8 * 1024 ** 3

/**
 * SHA-256 of a packed recording as text, which its index would say as well. Undefined where it is
 * damaged, or unpacks to more than `maxBytes`.
 */
export async function sumOf(path: string, maxBytes = MOST_BYTES): Promise<string | undefined> {
  const hash = createHash('sha256')
  let bytes = 0
  try {
    for await (const chunk of unpacked(readNoFollow(path, { highWaterMark: READ_BYTES }))) {
      bytes += chunk.length
      if (bytes > maxBytes) return undefined
      hash.update(chunk)
    }
  } catch (error) {
    if (isDamaged(error)) return undefined
    throw error
  }
  return hash.digest('hex')
}
