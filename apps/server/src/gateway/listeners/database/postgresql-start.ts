import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import { CLIENT, HEADER_BYTES, int32, message, needText, SERVER } from '../../protocols/postgresql/messages.ts'
import { ProtocolViolation } from '../../protocols/postgresql/protocol-violation.ts'
import { readStartPacket, type StartPacket } from '../../protocols/postgresql/startup.ts'
import { StreamReader } from '../../protocols/read-stream.ts'

/** As PostgreSQL has it (`PG_MAX_AUTH_TOKEN_LENGTH`). */
const MAX_PASSWORD = 65_535
/** First byte of a client that speaks TLS at once (PostgreSQL 17, `sslnegotiation=direct`). */
const TLS_HANDSHAKE = 0x16
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
export async function startOf(plain: Socket, certificate: SecureContext): Promise<StartedClient> {
  const first = new StreamReader(plain)
  const bytes = await first.next()
  first.giveBack(bytes)
  if (bytes[0] === TLS_HANDSHAKE) return started(await encrypted(plain, certificate), true)
  for (;;) {
    const { packet, isAlone } = await readPacket(plain)
    if (packet.kind === 'gss') {
      if (!isAlone) throw new ProtocolViolation('data after the request for encryption')
      plain.write('N')
    } else if (packet.kind === 'tls') {
      // What is behind it was not encrypted, and would be taken for what is (CVE-2021-23214).
      if (!isAlone) throw new ProtocolViolation('data after the request for encryption')
      plain.write('S')
      return started(await encrypted(plain, certificate), true)
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

function encrypted(socket: Socket, secureContext: SecureContext): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secure = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: [ALPN] })
    // Stays attached: a late error must not end the process.
    secure.on('error', reject)
    socket.once('close', () => reject(new Error('the client has left')))
    secure.once('secure', () => resolve(secure))
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
