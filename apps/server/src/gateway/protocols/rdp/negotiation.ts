/** How a client and a server of RDP agree on what protects their connection (MS-RDPBCGR 2.2.1.1, 2.2.1.2). */
import { ProtocolViolation } from '../protocol-violation.ts'
import { Cursor, u16, u32 } from './cursor.ts'
import { framed } from './framing.ts'

/** `tls`: the server asks for a password on its screen. `nla`: the client proves it before (CredSSP). */
export const SECURITY = { none: 0, tls: 1, nla: 2 } as const

const REQUEST = 0xe0
const CONFIRM = 0xd0
const RESPONSE = 2
const FAILURE = 3

export const FAILURES = { tlsRequired: 1, tlsNotAllowed: 2, noCertificate: 3, nlaRequired: 5 } as const

/** Asks for a connection protected in one of those ways. */
export function connectionRequest(protocols: number): Buffer {
  const wanted = Buffer.concat([Buffer.of(1, 0), u16(8), u32(protocols)])
  return framed(Buffer.of(6 + wanted.length, REQUEST, 0, 0, 0, 0, 0), wanted)
}

/** The server's choice, or why it makes none. Throws ProtocolViolation. */
export function readConfirmation(message: Buffer): { selected: number } | { failure: number } {
  const read = new Cursor(message, 5)
  if (message[0] !== 3 || (read.u8() & 0xf0) !== CONFIRM) throw new ProtocolViolation('this is no server of RDP')
  read.skip(5)
  // Servers older than 2003 say nothing: they know no protection but their own.
  if (!read.left) return { selected: SECURITY.none }
  const type = read.u8()
  read.skip(3)
  if (type === RESPONSE) return { selected: read.u32() }
  if (type === FAILURE) return { failure: read.u32() }
  throw new ProtocolViolation('this is no server of RDP')
}
