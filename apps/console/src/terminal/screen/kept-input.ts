/** The end of the sent input, so that undelivered parts can be sent again. */
const MAX_KEPT_BYTES = 64 * 1024

export interface KeptInput {
  add: (input: Uint8Array) => void
  /** Counts what must not be sent a second time, and forgets all that went before. */
  skip: (length: number) => void
  /**
   * The undelivered part of the sent input, by how many bytes the other side has received; undefined
   * when that is no longer known. A page that was loaded again goes on where it was.
   */
  missing: (received: number) => Uint8Array | undefined
}

/** Counts what is sent over lines that may break, and keeps the last of it. */
export function keepSent(): KeptInput {
  let sent = 0
  let kept = new Uint8Array()
  return {
    add(input) {
      sent += input.length
      const all = new Uint8Array(kept.length + input.length)
      all.set(kept)
      all.set(input, kept.length)
      kept = all.slice(-MAX_KEPT_BYTES)
    },
    skip(length) {
      sent += length
      kept = new Uint8Array()
    },
    missing(received) {
      const count = sent === 0 ? 0 : sent - received
      sent = sent === 0 ? received : sent
      if (count < 0 || count > kept.length) return undefined
      return count === 0 ? new Uint8Array() : kept.slice(-count)
    },
  }
}
