import type { Duplex } from 'node:stream'

/**
 * Has everything that is written to a stream in one turn leave together. ssh2 writes a packet as
 * length, body and checksum, each a system call and, with Nagle's algorithm off, a segment of its
 * own; and it writes all packets of one read one after the other.
 */
export function gatherWrites(stream: Duplex): void {
  const write = stream.write
  let isGathering = false
  const release = () => {
    isGathering = false
    stream.uncork()
  }
  stream.write = function gathered(...piece: Parameters<Duplex['write']>) {
    if (!isGathering) {
      isGathering = true
      stream.cork()
      process.nextTick(release)
    }
    return write.apply(stream, piece)
  } as Duplex['write']
}
