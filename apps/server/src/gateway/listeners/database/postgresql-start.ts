import type { Socket } from 'node:net'
import { CLIENT, HEADER_BYTES, int32, message, needText, SERVER } from '../../protocols/postgresql/messages.ts'
import { readStartPacket, type StartPacket } from '../../protocols/postgresql/startup.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { StreamReader } from '../../protocols/read-stream.ts'
import { beginsWithTls, type Encrypt } from '../clients/encrypted.ts'

/** As PostgreSQL has it (`PG_MAX_AUTH_TOKEN_LENGTH`). */
const MAX_PASSWORD = 65_535
const ALPN = 'postgresql'
const CLEARTEXT = 3

/** A client that has said what it wants; it waits for an answer. */
export interface StartedClient {
  socket: Socket
  isEncrypted: boolean
  packet: Extract<StartPacket, { kind: 'startup' | 'cancel' }>
}

/**
 * Has a client begin: encrypts the connection in either of the two ways, and reads what it wants.
 * Throws ProtocolViolation, and what the stream throws.
 */
export async function startOf(plain: Socket, encrypt: Encrypt): Promise<StartedClient> {
  // PostgreSQL 17, `sslnegotiation=direct`.
  if (await beginsWithTls(plain)) return started(await encrypt([ALPN]), true)
  for (;;) {
    const { packet, isAlone } = await readPacket(plain)
    if (packet.kind === 'gss') {
      if (!isAlone) throw new ProtocolViolation('data after the request for encryption')
      plain.write('N')
    } else if (packet.kind === 'tls') {
      // Bytes behind it were not encrypted, and would be taken for encrypted ones (CVE-2021-23214).
      if (!isAlone) throw new ProtocolViolation('data after the request for encryption')
      plain.write('S')
      return started(await encrypt([ALPN]), true)
    } else return { socket: plain, isEncrypted: false, packet }
  }
}

async function started(socket: Socket, isEncrypted: boolean): Promise<StartedClient> {
  const { packet } = await readPacket(socket)
  if (packet.kind === 'startup' || packet.kind === 'cancel') return { socket, isEncrypted, packet }
  throw new ProtocolViolation('expected a startup packet')
}

async function readPacket(socket: Socket): Promise<{ packet: StartPacket; isAlone: boolean }> {
  return new StreamReader(socket).until((bytes) => {
    const found = readStartPacket(bytes)
    return found && { value: { packet: found.packet, isAlone: found.end === bytes.length }, end: found.end }
  })
}

/** Asks for the password in clear, which every client gives over TLS. Throws ProtocolViolation. */
export async function askPassword(socket: Socket): Promise<string> {
  socket.write(message(SERVER.authentication, int32(CLEARTEXT)))
  return new StreamReader(socket).until((bytes) => {
    if (bytes.length < HEADER_BYTES) return undefined
    const length = bytes.readInt32BE(1)
    if (bytes[0] !== CLIENT.password || length < 5 || length > MAX_PASSWORD)
      throw new ProtocolViolation('expected a password')
    if (bytes.length < length + 1) return undefined
    return { value: needText(bytes.subarray(0, length + 1), HEADER_BYTES).text.toString(), end: length + 1 }
  })
}
