import { createHash, randomBytes, randomInt } from 'node:crypto'

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Letters and digits from the system's random source, all equally likely; 36 of them have 214 bits.
 */
export function randomText(length: number): string {
  return Array.from({ length }, () => LETTERS_AND_DIGITS[randomInt(LETTERS_AND_DIGITS.length)]).join('')
}

/** The value of a cookie or link that refers to a row here; 256 bits. */
export function randomKey(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * How such a value is stored: it is random, so a plain hash is enough to make a stolen table
 * useless.
 */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
