/** The other end does not speak the protocol, or asks for more than is granted. */
export class ProtocolViolation extends Error {}

/** It is the client's, though only the server's answer shows it. */
export class ClientViolation extends ProtocolViolation {
  /** Last bytes for the client: the answers before it, and the reason. */
  last: Buffer = Buffer.alloc(0)
}
