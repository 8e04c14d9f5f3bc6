import { ProtocolViolation } from '../protocol-violation.ts'
import { CAPABILITY, lengthEncoded, packet, readFixed, readLengthEncoded, readZeroEnded, zeroEnded } from './packets.ts'

/** Capabilities, longest packet, character set and what is reserved. */
const FIXED_BYTES = 32
const EXTENSION_AT = 28

/** Login of a client (`Protocol::HandshakeResponse41`). */
export interface ClientLogin {
  /** See `CAPABILITY`. */
  capabilities: number
  /** See `OF_MARIADB`; of other clients none. */
  ofMariaDb?: number
  /** The longest packet that it takes. */
  maxPacket: number
  /** Number of a collation, and with it of a character set. */
  collation: number
  username: string
  /** Its proof of a password, or in `mysql_clear_password` the password itself. */
  proof: Buffer
  database: string
  plugin: string
  /** The client's names for itself and its surroundings, as it sent them. */
  attributes: Buffer
}

/** The beginning of a login, which asks for TLS when it is all (`Protocol::SSLRequest`). */
export function loginStart({
  capabilities,
  ofMariaDb = 0,
  maxPacket,
  collation,
}: Pick<ClientLogin, 'capabilities' | 'ofMariaDb' | 'maxPacket' | 'collation'>): Buffer {
  const fixed = Buffer.alloc(FIXED_BYTES)
  fixed.writeUInt32LE(capabilities >>> 0, 0)
  fixed.writeUInt32LE(maxPacket, 4)
  fixed[8] = collation
  if (!(capabilities & CAPABILITY.longPassword)) fixed.writeUInt32LE(ofMariaDb, EXTENSION_AT)
  return fixed
}

export function loginPacket(sequence: number, login: ClientLogin): Buffer {
  const { capabilities, username, proof, database, plugin, attributes } = login
  return packet(
    sequence,
    loginStart(login),
    zeroEnded(username),
    lengthEncoded(proof),
    ...(capabilities & CAPABILITY.connectWithDatabase ? [zeroEnded(database)] : []),
    ...(capabilities & CAPABILITY.pluginAuth ? [zeroEnded(plugin)] : []),
    ...(capabilities & CAPABILITY.connectAttributes ? [lengthEncoded(attributes)] : []),
  )
}

/** `tls`: it is all of a login that is to come over TLS. Throws ProtocolViolation. */
export function readLogin(body: Buffer): ClientLogin | 'tls' {
  const fixed = readFixed(body, 0, Math.min(FIXED_BYTES, Math.max(body.length, 4))).bytes
  const capabilities = fixed.readUInt32LE(0)
  if (!(capabilities & CAPABILITY.protocol41)) throw new ProtocolViolation('the client is too old')
  if (body.length === FIXED_BYTES && capabilities & CAPABILITY.tls) return 'tls'
  readFixed(body, 0, FIXED_BYTES)
  const has = (one: number) => (capabilities & one) !== 0
  const username = readZeroEnded(body, FIXED_BYTES)
  const proof = readProof(body, username.end, has)
  let at = proof.end
  const nextText = (isThere: boolean) => {
    if (!isThere || at >= body.length) return ''
    const found = readZeroEnded(body, at)
    at = found.end
    return found.bytes.toString()
  }
  const database = nextText(has(CAPABILITY.connectWithDatabase))
  const plugin = nextText(has(CAPABILITY.pluginAuth))
  const attributes =
    has(CAPABILITY.connectAttributes) && at < body.length ? readLengthEncoded(body, at).bytes : undefined
  return {
    capabilities,
    ofMariaDb: has(CAPABILITY.longPassword) ? 0 : fixed.readUInt32LE(EXTENSION_AT),
    maxPacket: fixed.readUInt32LE(4),
    collation: fixed[8] as number,
    username: username.bytes.toString(),
    proof: proof.bytes,
    database,
    plugin,
    attributes: attributes ?? Buffer.alloc(0),
  }
}

function readProof(body: Buffer, at: number, has: (capability: number) => boolean): { bytes: Buffer; end: number } {
  if (has(CAPABILITY.pluginAuthLength)) return readLengthEncoded(body, at)
  if (!has(CAPABILITY.secureConnection)) return readZeroEnded(body, at)
  const length = readFixed(body, at, 1)
  return readFixed(body, length.end, length.bytes[0] as number)
}

/** Value of one name among a client's attributes. */
export function attributeOf(attributes: Buffer, wanted: string): string {
  for (let at = 0; at < attributes.length; ) {
    const name = readLengthEncoded(attributes, at)
    const value = readLengthEncoded(attributes, name.end)
    if (name.bytes.toString() === wanted) return value.bytes.toString()
    at = value.end
  }
  return ''
}

/** Has the other end prove the password in another way (`Protocol::AuthSwitchRequest`). */
export function switchPacket(sequence: number, plugin: string, nonce: Buffer): Buffer {
  return packet(sequence, Buffer.of(0xfe), zeroEnded(plugin), zeroEnded(nonce))
}

/** `nonce` may have a zero behind it. Throws ProtocolViolation. */
export function readSwitch(body: Buffer): { plugin: string; nonce: Buffer } {
  if (body.length < 2) throw new ProtocolViolation('the server asks for the password in the way of MySQL 4')
  const plugin = readZeroEnded(body, 1)
  return { plugin: plugin.bytes.toString('latin1'), nonce: body.subarray(plugin.end) }
}
