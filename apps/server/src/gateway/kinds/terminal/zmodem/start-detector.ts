import { BYTE, checkOf } from '@sallyport/contract/zmodem/wire.ts'

/** Seen from the machine: it sends a file (`sz`), or waits for one (`rz`). */
export type Direction = 'download' | 'upload'

export interface Start {
  direction: Direction
  /** The header that showed it, to be read as the first packet. */
  header: Buffer
}

const NONE = Buffer.alloc(0)
/** Bytes behind the ZDLE: the header's digits and the end of its line. */
const WHOLE = /^B0([01])([0-9a-f]{12})[^\x20-\x7e]{0,6}$/i
const BEGUN = /^(B(0([01][0-9a-f]{0,11})?)?)?$/i
const LONGEST = 4 + 14 + 6
const DIGITS_END = 'ZB'.length + 14
const LINE_END: ReadonlySet<number> = new Set([0x0d, 0x0a, 0x8d, 0x8a, BYTE.XON])

/**
 * Finds where a machine starts a transfer in its output: ZRQINIT or ZRINIT in hexadecimal, with a
 * correct checksum and nothing after it, as the machine then waits for an answer. A header in the
 * middle of a file that somebody looks at starts none. An incomplete header is held back from its
 * ZDLE on, which terminal output does not contain.
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
        start: {
          direction: kind === '0' ? 'download' : 'upload',
          header: lineOf(bytes.subarray(from), zdle - from + DIGITS_END),
        },
      }
    if (!BEGUN.test(tail)) return { before: bytes }
    this.#held = Buffer.from(bytes.subarray(from))
    return { before: bytes.subarray(0, from) }
  }

  /** Bytes that were held back, when nothing more comes. */
  take(): Buffer {
    const held = this.#held
    this.#held = NONE
    return held
  }
}

/** Without what decoding a line end in another charset has added. */
function lineOf(header: Buffer, digitsEnd: number): Buffer {
  return Buffer.from(header.filter((byte, n) => n < digitsEnd || LINE_END.has(byte)))
}

function isChecked(digits: string): boolean {
  const content = Buffer.from(digits, 'hex')
  return Buffer.from(checkOf(content.subarray(0, 5), false)).equals(content.subarray(5))
}
