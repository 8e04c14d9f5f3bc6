/** Bytes that may follow the packets of a transfer, and are neither shown nor typed. */

/** Up to `left` bytes of `set`, before anything else. */
export interface TrailingBytes {
  readonly set: ReadonlySet<number>
  left: number
}

export const CANCEL = 0x18
const CANCEL_BYTES: ReadonlySet<number> = new Set([CANCEL, 0x08])
const LINE_END: ReadonlySet<number> = new Set([0x0d, 0x0a, 0x8a, 0x11])
const LETTER_O: ReadonlySet<number> = new Set([0x4f])
/** End of a session, in the words of the protocol (ZMODEM, *over and out*). */
export const OVER_AND_OUT = Buffer.from('OO')

export const lineEnd = (): TrailingBytes => ({ set: LINE_END, left: 2 })
export const overAndOut = (): TrailingBytes => ({ set: LETTER_O, left: OVER_AND_OUT.length })
export const cancelling = (most: number): TrailingBytes => ({ set: CANCEL_BYTES, left: most })

/** The part of `OO` that the other side has not sent. */
export const missingOverAndOut = ({ set, left }: TrailingBytes): Buffer =>
  set === LETTER_O ? OVER_AND_OUT.subarray(OVER_AND_OUT.length - left) : Buffer.alloc(0)

/** How many bytes at the beginning are such; they count against `left`. */
export function takeTrailing(trailing: TrailingBytes, bytes: Buffer): number {
  let length = 0
  while (length < bytes.length && trailing.left > 0 && trailing.set.has(bytes[length] as number)) {
    length++
    trailing.left--
  }
  return length
}

/** The text at the end of bytes that were taken for data. */
export function lastWords(bytes: Uint8Array): Buffer {
  let from = bytes.length
  while (from > 0 && isText(bytes[from - 1] as number)) from--
  return Buffer.from(bytes.subarray(from))
}

function isText(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || (byte >= 0x07 && byte <= 0x0d) || byte === 0x1b
}
