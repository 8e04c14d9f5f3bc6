import { ProtocolViolation } from '../protocol-violation.ts'
import { CAPABILITY, packet, readFixed, readZeroEnded, STATUS, zeroEnded } from './packets.ts'

const PROTOCOL_VERSION = 10
/** `utf8mb4_general_ci`, which servers of every version know. */
const COLLATION = 45
/** Length of the random bytes that a proof of a password is made with. */
export const NONCE_BYTES = 20
const FIRST_NONCE_BYTES = 8
const RESERVED_BYTES = 6

/** First message of a server (`Protocol::HandshakeV10`). */
export interface Greeting {
  version: string
  /** The number of the connection, by which its statements are cancelled. */
  thread: number
  nonce: Buffer
  /** See `CAPABILITY`. */
  capabilities: number
  /** See `OF_MARIADB`; of MySQL none. */
  ofMariaDb?: number
  /** How it would have a password proven; empty where it does not say. */
  plugin: string
}

export function greetingPacket({ version, thread, nonce, capabilities, ofMariaDb = 0, plugin }: Greeting): Buffer {
  const fixed = Buffer.alloc(7)
  fixed.writeUInt16LE(capabilities & 0xffff, 0)
  fixed[2] = COLLATION
  fixed.writeUInt16LE(STATUS.autocommit, 3)
  fixed.writeUInt16LE(capabilities >>> 16, 5)
  const number = Buffer.alloc(4)
  number.writeUInt32LE(thread)
  const extension = Buffer.alloc(4)
  extension.writeUInt32LE(ofMariaDb)
  return packet(
    0,
    Buffer.of(PROTOCOL_VERSION),
    zeroEnded(version),
    number,
    zeroEnded(nonce.subarray(0, FIRST_NONCE_BYTES)),
    fixed,
    Buffer.of(NONCE_BYTES + 1),
    Buffer.alloc(RESERVED_BYTES),
    extension,
    zeroEnded(nonce.subarray(FIRST_NONCE_BYTES)),
    zeroEnded(plugin),
  )
}

/** Throws ProtocolViolation for what is not the greeting of a server of 5.5 or newer. */
export function readGreeting(body: Buffer): Greeting {
  if (body[0] !== PROTOCOL_VERSION) throw new ProtocolViolation('expected the greeting of a MySQL server')
  const version = readZeroEnded(body, 1)
  const at = version.end
  const fixed = readFixed(body, at, 31).bytes
  const capabilities = fixed.readUInt16LE(13) + fixed.readUInt16LE(18) * 0x1_0000
  if (!(capabilities & CAPABILITY.protocol41) || !(capabilities & CAPABILITY.secureConnection))
    throw new ProtocolViolation('the server is too old')
  const second = readFixed(body, at + 31, NONCE_BYTES - FIRST_NONCE_BYTES)
  const hasPlugin = (capabilities & CAPABILITY.pluginAuth) !== 0 && body.length > second.end + 1
  const plugin = hasPlugin
    ? body
        .subarray(second.end + 1)
        .toString('latin1')
        .replace(/\0.*$/s, '')
    : ''
  return {
    version: version.bytes.toString('latin1'),
    thread: fixed.readUInt32LE(0),
    nonce: Buffer.concat([fixed.subarray(4, 4 + FIRST_NONCE_BYTES), second.bytes]),
    capabilities,
    ofMariaDb: capabilities & CAPABILITY.longPassword ? 0 : fixed.readUInt32LE(27),
    plugin,
  }
}
