import { Fields, MAX_CHUNK, PACKET } from '../../files/sftp/sftp-wire.ts'

/** Requests in progress at a time, and the file content in them. */
const MAX_REQUESTS = 64
const MAX_BYTES = 4 * 1024 * 1024

/**
 * These are passed on in the order in which they come, and may be answered in another, as OpenSSH's
 * clients expect; all others wait for everything before them, and everything after waits for them.
 */
const SIDE_BY_SIDE: ReadonlySet<number> = new Set([
  PACKET.READ,
  PACKET.WRITE,
  PACKET.CLOSE,
  PACKET.STAT,
  PACKET.LSTAT,
  PACKET.FSTAT,
  PACKET.FSETSTAT,
  PACKET.READLINK,
  PACKET.REALPATH,
])

/** Nobody waits for their answer who has asked for the file to be closed, too. */
const BEFORE_CLOSE: ReadonlySet<number> = new Set([PACKET.WRITE, PACKET.FSETSTAT])

/** The SFTP requests of a client that are carried out, and which may be begun beside them. */
export class RequestsUnderWay {
  #count = 0
  #bytes = 0
  #reads = 0
  #isAlone = false
  readonly #closing = new Set<string>()

  get count(): number {
    return this.#count
  }

  mayBegin(packet: Buffer): boolean {
    if (!this.#count) return true
    const type = packet[0] ?? 0
    if (this.#isAlone || !SIDE_BY_SIDE.has(type)) return false
    // A read may wait for what was asked ahead, and only then be passed on.
    if (type === PACKET.CLOSE && this.#reads) return false
    return this.#count < MAX_REQUESTS && this.#bytes < MAX_BYTES
  }

  /** Answers what is to be called once it is answered. */
  begin(packet: Buffer): () => void {
    const type = packet[0] ?? 0
    const reads = type === PACKET.READ ? 1 : 0
    const bytes = reads ? readLength(packet) : packet.length
    this.#count += 1
    this.#bytes += bytes
    this.#reads += reads
    this.#isAlone = !SIDE_BY_SIDE.has(type)
    if (type === PACKET.CLOSE) this.#closing.add(handleIn(packet))
    return () => {
      this.#count -= 1
      this.#bytes -= bytes
      this.#reads -= reads
      this.#isAlone = false
      if (type === PACKET.CLOSE) this.#closing.delete(handleIn(packet))
    }
  }

  /**
   * Whether an answer may leave with that of the close of the same file, which is under way: lftp
   * sends writes, times and close of a small file in one go, and would be woken for each.
   */
  mayWait(packet: Buffer): boolean {
    return this.#closing.size > 0 && BEFORE_CLOSE.has(packet[0] ?? 0) && this.#closing.has(handleIn(packet))
  }
}

/** After type and id: the handles that we give are of four bytes, with their length before them. */
function handleIn(packet: Buffer): string {
  return packet.toString('latin1', 5, 13)
}

/** How many bytes a READ asks for: its last field. */
function readLength(packet: Buffer): number {
  return packet.length < 4 ? 0 : Math.min(new Fields(packet, packet.length - 4).uint32(), MAX_CHUNK)
}
