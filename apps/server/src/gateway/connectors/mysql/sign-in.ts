import type { Duplex } from 'node:stream'
import { SshError } from '../../../kernel/ssh/connect.ts'
import { type Greeting, NONCE_BYTES } from '../../protocols/mysql/greeting.ts'
import { type ClientLogin, loginPacket, readSwitch } from '../../protocols/mysql/login.ts'
import { PacketStream } from '../../protocols/mysql/packet-stream.ts'
import { ANSWER, CAPABILITY, packet, readError, type ServerError } from '../../protocols/mysql/packets.ts'
import {
  cachingSha2Proof,
  ed25519Proof,
  encryptedPassword,
  nativeProof,
  PLUGIN,
} from '../../protocols/mysql/password-proof.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { SessionRefusal } from '../../session/refusal.ts'

const ED25519_NONCE_BYTES = 32
/** More is not said before somebody is let in. */
const MAX_PACKETS = 20
/** Messages of `caching_sha2_password`, besides its key. */
const [ASK_KEY, FAST, FULL] = [2, 3, 4]
/** Errors that are about who signs in: access denied, and an account that is locked. */
const REFUSED_LOGIN = new Set([1045, 1698, 3118, 4151])

interface SignIn {
  greeting: Greeting
  login: ClientLogin
  password: string
  isEncrypted: boolean
  /** Place of this server on the way, for errors. */
  hop: number
}

/**
 * Signs in at a MySQL or MariaDB server with a password, in clear over TLS alone. Answers the body
 * of the packet with which it lets the client in. Throws SshError for a login that is refused,
 * SessionRefusal in the server's words for anything else that it refuses.
 */
export async function signIn(stream: Duplex, { greeting, login, password, isEncrypted, hop }: SignIn): Promise<Buffer> {
  const packets = new PacketStream(stream)
  let { plugin, nonce } = greeting
  if (!isOffered(plugin)) plugin = PLUGIN.native
  const capabilities = capabilitiesFor(login, greeting, isEncrypted)
  const proof = proofOf(plugin, password, nonce, isEncrypted)
  const ofMariaDb = ofMariaDbFor(login, greeting)
  stream.write(loginPacket(isEncrypted ? 2 : 1, { ...login, capabilities, ofMariaDb, proof, plugin }))
  for (let count = 0; count < MAX_PACKETS; count++) {
    const { sequence, body } = await packets.next()
    const answer = (bytes: Buffer) => void stream.write(packet(sequence + 1, bytes))
    if (body[0] === ANSWER.ok) return body
    if (body[0] === ANSWER.error) throw refusal(readError(body), hop)
    if (body[0] === ANSWER.end) {
      const other = readSwitch(body)
      plugin = other.plugin
      nonce = other.nonce.subarray(0, plugin === PLUGIN.ed25519 ? ED25519_NONCE_BYTES : NONCE_BYTES)
      answer(proofOf(plugin, password, nonce, isEncrypted))
    } else if (body[0] === ANSWER.more && plugin === PLUGIN.cachingSha2) {
      if (body[1] === FULL) answer(isEncrypted ? Buffer.from(`${password}\0`) : Buffer.of(ASK_KEY))
      else if (body[1] !== FAST) answer(encryptedPassword(password, nonce, keyIn(body)))
    } else throw unknownWay()
  }
  throw new ProtocolViolation('the sign-in does not end')
}

/** Capabilities that the client has and the server offers. */
export function capabilitiesFor(login: ClientLogin, greeting: Greeting, isEncrypted: boolean): number {
  const { pluginAuth, pluginAuthLength, secureConnection, connectWithDatabase, tls } = CAPABILITY
  const ofClient = login.capabilities & ~connectWithDatabase & ~tls
  const own = pluginAuth | pluginAuthLength | secureConnection | (login.database ? connectWithDatabase : 0)
  return ((ofClient | own) & greeting.capabilities) | (isEncrypted ? tls : 0)
}

/** Capabilities of MariaDB alone, likewise. */
export const ofMariaDbFor = (login: ClientLogin, greeting: Greeting): number =>
  (login.ofMariaDb ?? 0) & (greeting.ofMariaDb ?? 0)

const isOffered = (plugin: string) => Object.values<string>(PLUGIN).includes(plugin) && plugin !== PLUGIN.clear

function proofOf(plugin: string, password: string, nonce: Buffer, isEncrypted: boolean): Buffer {
  switch (plugin) {
    case PLUGIN.native:
      return nativeProof(password, nonce)
    case PLUGIN.cachingSha2:
      return cachingSha2Proof(password, nonce)
    case PLUGIN.ed25519:
      return ed25519Proof(password, nonce)
    case PLUGIN.clear:
      if (isEncrypted) return Buffer.from(`${password}\0`)
      throw new SessionRefusal('The server asks for the password in clear without TLS: it was not sent')
    default:
      throw unknownWay()
  }
}

/** The server's, with which a password is encrypted that TLS does not protect. */
function keyIn(body: Buffer): string {
  const key = body.toString('latin1', 1)
  if (!key.includes('PUBLIC KEY')) throw new ProtocolViolation('expected a public key')
  return key
}

const unknownWay = () => new SessionRefusal('The server asks for a way to sign in that is not supported')

/** A refusal in the server's words. */
export function refusal({ number, message }: ServerError, hop = 0): Error {
  if (REFUSED_LOGIN.has(number)) return new SshError('authentication', hop, message)
  return new SessionRefusal('The server refused the connection: {{words}}', { words: message.slice(0, 1000) })
}
