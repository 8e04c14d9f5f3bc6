import type { Duplex } from 'node:stream'

/**
 * Reads a stream piece by piece before somebody else takes it over: nothing is read that was not
 * asked for, and what is too much is given back.
 */
export class StreamReader {
  readonly #stream: Duplex

  constructor(stream: Duplex) {
    this.#stream = stream
  }

  /** The next bytes. Rejected when the stream ends before that. */
  next(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const stream = this.#stream
      const leave = () => {
        stream.off('readable', onReadable).off('end', onEnd).off('close', onEnd).off('error', onEnd)
      }
      const onReadable = () => {
        const bytes = stream.read() as Buffer | null
        if (!bytes) return
        leave()
        resolve(bytes)
      }
      const onEnd = () => {
        leave()
        reject(new Error('the stream has ended'))
      }
      stream.on('readable', onReadable).once('end', onEnd).once('close', onEnd).once('error', onEnd)
      if (stream.destroyed) return onEnd()
      onReadable()
    })
  }

  /** Bytes that the next reader gets first. */
  giveBack(bytes: Buffer): void {
    if (bytes.length) this.#stream.unshift(bytes)
  }

  /**
   * Gathers until `read` finds something, and gives back what is behind it. Throws what `read`
   * throws.
   */
  async until<T>(read: (bytes: Buffer) => { value: T; end: number } | undefined): Promise<T> {
    let bytes: Buffer = Buffer.alloc(0)
    for (;;) {
      bytes = Buffer.concat([bytes, await this.next()])
      const found = read(bytes)
      if (!found) continue
      this.giveBack(bytes.subarray(found.end))
      return found.value
    }
  }

  /** So many bytes, which are few. */
  exactly(count: number): Promise<Buffer> {
    if (!count) return Promise.resolve(Buffer.alloc(0))
    return this.until((bytes) => (bytes.length < count ? undefined : { value: bytes.subarray(0, count), end: count }))
  }
}
