import { BYTE, checkOf } from '@sallyport/contract/zmodem/wire.ts'

/** From whose side of the machine: it sends a file (`sz`), or waits for one (`rz`). */
export type Direction = 'download' | 'upload'

export interface Start {
  direction: Direction
  /** The header that it was known by, to be read as the first packet. */
  header: Buffer
}

const NONE = Buffer.alloc(0)
/** What follows the ZDLE: the header's digits, and what ends its line. */
const WHOLE = /^B0([01])([0-9a-f]{12})[^\x20-\x7e]{0,6}$/i
const BEGUN = /^(B(0([01][0-9a-f]{0,11})?)?)?$/i
const LONGEST = 4 + 14 + 6

/**
 * Finds where a machine begins a transfer in what it prints: ZRQINIT or ZRINIT in hexadecimal, with a right check, and nothing behind it, since the
 * machine waits for an answer then. So a header in the middle of a file that somebody looks at begins none. A header that is cut is held back from its
 * ZDLE on, which no terminal output holds.
 */
export class StartDetector {
  #held = NONE

  push(piece: Buffer): { before: Buffer; start?: Start } {
    if (!this.#held.length && !piece.includes(BYTE.ZDLE)) return { before: piece }
    const bytes = Buffer.concat([this.take(), piece])
    const zdle = bytes.lastIndexOf(BYTE.ZDLE)
    if (bytes.length - zdle > LONGEST) return { before: bytes }
    let from = zdle
    while (from > 0 && bytes[from - 1] === BYTE.ZPAD && zdle - from < 2) from--
    const tail = bytes.toString('latin1', zdle + 1)
    const [, kind, digits] = WHOLE.exec(tail) ?? []
    if (kind && digits && isChecked(`0${kind}${digits}`))
      return {
        before: bytes.subarray(0, from),
        start: { direction: kind === '0' ? 'download' : 'upload', header: bytes.subarray(from) },
      }
    if (!BEGUN.test(tail)) return { before: bytes }
    this.#held = Buffer.from(bytes.subarray(from))
    return { before: bytes.subarray(0, from) }
  }

  /** What was held back, when nothing more comes. */
  take(): Buffer {
    const held = this.#held
    this.#held = NONE
    return held
  }
}

function isChecked(digits: string): boolean {
  const content = Buffer.from(digits, 'hex')
  return Buffer.from(checkOf(content.subarray(0, 5), false)).equals(content.subarray(5))
}
