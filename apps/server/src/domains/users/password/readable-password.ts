import { randomInt } from 'node:crypto'

/** Without characters that are easily confused when a password is read from a screen. */
const READABLE = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** A password of so many random characters that people read and type. */
export const readablePassword = (length: number): string =>
  Array.from({ length }, () => READABLE[randomInt(READABLE.length)]).join('')
