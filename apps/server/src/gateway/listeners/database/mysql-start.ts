import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { type Greeting, greetingPacket, NONCE_BYTES } from '../../protocols/mysql/greeting.ts'
import { type ClientLogin, readLogin, switchPacket } from '../../protocols/mysql/login.ts'
import { PacketStream } from '../../protocols/mysql/packet-stream.ts'
import { ANSWER, CAPABILITY, OF_MARIADB, packet } from '../../protocols/mysql/packets.ts'
import { PLUGIN } from '../../protocols/mysql/password-proof.ts'
import { readVersion } from '../../protocols/mysql/read-statement.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { Encrypt } from '../clients/encrypted.ts'

/**
 * Capabilities that clients may use, as far as their servers have them too. Those that would change
 * the form of statements and answers are missing: compression, attributes of statements, answers
 * without an end of their own, and those of MariaDB alone but for many rows of parameters at once.
 */
const OFFERED = Object.values(CAPABILITY).reduce((all, one) => all | one, 0)
/** MariaDB's version from which on it takes many rows of parameters at once. */
const FIRST_WITH_BULK = 100_200
/**
 * Answers of a server with `caching_sha2_password`: the proof was right; or the password is wanted.
 */
const [PROVEN, GIVE_PASSWORD] = [3, 4]

/** A client that has said who it is; it waits for an answer. */
export interface StartedClient {
  socket: Socket
  login: ClientLogin
  isEncrypted: boolean
  /** Number of the packet that it expects next. */
  sequence: number
  nonce: Buffer
}

/** Greets a client, and reads who it is. Throws ProtocolViolation, and what the stream throws. */
export async function startOf(
  plain: Socket,
  encrypt: Encrypt,
  own: Pick<Greeting, 'version' | 'thread'>,
): Promise<StartedClient> {
  const nonce = freshNonce()
  const { isMariaDb, number } = readVersion(own.version)
  const ofMariaDb = isMariaDb && number >= FIRST_WITH_BULK ? OF_MARIADB.bulk : 0
  const capabilities = ofMariaDb ? OFFERED & ~CAPABILITY.longPassword : OFFERED
  plain.write(greetingPacket({ ...own, nonce, capabilities, ofMariaDb, plugin: PLUGIN.cachingSha2 }))
  const first = await new PacketStream(plain).next()
  const plainLogin = readLogin(first.body)
  if (plainLogin !== 'tls')
    return { socket: plain, login: plainLogin, isEncrypted: false, sequence: first.sequence + 1, nonce }
  const socket = await encrypt()
  const { sequence, body } = await new PacketStream(socket).next()
  const login = readLogin(body)
  if (login === 'tls') throw new ProtocolViolation('expected a login')
  login.capabilities &= OFFERED
  login.ofMariaDb = (login.ofMariaDb ?? 0) & ofMariaDb
  return { socket, login, isEncrypted: true, sequence: sequence + 1, nonce }
}

/** It ends texts on the wire, so it has no zero in it. */
const freshNonce = () => Buffer.from(randomBytes(NONCE_BYTES).map((byte) => 1 + (byte % 127)))

/** Has a client that was not asked for its password know that it is let in. */
export function acceptProof(client: StartedClient): void {
  const { login, socket } = client
  if (login.plugin === PLUGIN.cachingSha2 && hasPassword(login.proof))
    socket.write(packet(client.sequence++, Buffer.of(ANSWER.more, PROVEN)))
}

/**
 * Asks for the password itself, which clients give over TLS when a server does not know the proof
 * (`caching_sha2_password`). Throws SessionRefusal for those that can't, ProtocolViolation, and what
 * the stream throws.
 */
export async function askPassword(client: StartedClient): Promise<string> {
  const { socket, login, nonce } = client
  const packets = new PacketStream(socket)
  const ask = async (...body: Buffer[]) => {
    const [first] = body
    socket.write(first ? packet(client.sequence, first) : switchPacket(client.sequence, PLUGIN.cachingSha2, nonce))
    const answer = await packets.next()
    client.sequence = answer.sequence + 1
    return answer.body
  }
  if (login.plugin === PLUGIN.clear) return textOf(login.proof)
  if (!(login.capabilities & CAPABILITY.pluginAuth))
    throw new SessionRefusal('This client can not give its password here: use a connection token as user name')
  const proof = login.plugin === PLUGIN.cachingSha2 ? login.proof : await ask()
  return hasPassword(proof) ? textOf(await ask(Buffer.of(ANSWER.more, GIVE_PASSWORD))) : ''
}

/** Without one a client sends nothing, or a zero. */
const hasPassword = (proof: Buffer) => proof.length > 1

const textOf = (bytes: Buffer) => bytes.toString('utf8', 0, bytes.at(-1) === 0 ? bytes.length - 1 : bytes.length)
