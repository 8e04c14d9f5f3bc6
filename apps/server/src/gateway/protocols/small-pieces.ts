/** Size from which pieces stay on their own, in bytes. */
const SMALL = 16 * 1024

/**
 * Adds a piece to those that wait. A sender of single bytes, or of nothing at all over and over,
 * takes no more memory than the bytes need: small pieces become one with those of their size before
 * them, so that each byte is copied a few times, and few pieces are left.
 */
export function addPiece(waiting: Buffer[], bytes: Buffer): void {
  if (!bytes.length) return
  let piece = bytes
  for (let before = waiting.at(-1); before && before.length <= piece.length && piece.length < SMALL; ) {
    waiting.pop()
    piece = Buffer.concat([before, piece])
    before = waiting.at(-1)
  }
  waiting.push(piece)
}
