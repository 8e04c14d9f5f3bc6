/** The other end does not speak the protocol, or asks for more than is granted. */
export class ProtocolViolation extends Error {}
