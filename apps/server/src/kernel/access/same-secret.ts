import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * Whether a secret that a caller sent is the one wanted. Takes equally long for any wrong one,
 * whatever its length.
 */
export function isSameSecret(given: string, wanted: string): boolean {
  return timingSafeEqual(sha256(given), sha256(wanted))
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()
