import { ProtocolViolation } from '../protocol-violation.ts'

/** Types of packets. */
const ACCEPT = 2
const REFUSE = 4
const REDIRECT = 5
const RESEND = 11
/** Bytes of the header of a packet, as it is until a listener has accepted. */
const HEADER_BYTES = 8
/** Flag of a packet to be sent again: TLS starts again. */
const NEW_TLS = 0x08
/** How TLS says what it does not understand. */
const TLS_ALERT = 0x15

/**
 * Reads the answer of a listener to a client that wants a service, until it accepts or refuses:
 * later bytes are for the driver. A listener may send its clients to another address, which nobody
 * follows here: the server there is not the one that was meant.
 */
export class ListenerAnswer {
  /** Its error goes to the caller. */
  isSettled = false
  isRedirected = false
  /** It is no answer of such a listener, but one of TLS. */
  isTls = false
  #bytes: Buffer = Buffer.alloc(0)

  /** Throws ProtocolViolation. */
  read(bytes: Buffer): void {
    if (this.isSettled) return
    this.#bytes = Buffer.concat([this.#bytes, bytes])
    if (this.#bytes[0] === TLS_ALERT) {
      this.isTls = true
      return
    }
    while (this.#bytes.length >= HEADER_BYTES) {
      const length = this.#bytes.readUInt16BE(0)
      const type = this.#bytes[4]
      if (type === ACCEPT || type === REFUSE) {
        this.isSettled = true
        return
      }
      if (type === REDIRECT) {
        this.isRedirected = true
        return
      }
      if (type !== RESEND || length !== HEADER_BYTES || (this.#bytes[5] as number) & NEW_TLS)
        throw new ProtocolViolation('no answer of a listener')
      this.#bytes = this.#bytes.subarray(length)
    }
  }
}
