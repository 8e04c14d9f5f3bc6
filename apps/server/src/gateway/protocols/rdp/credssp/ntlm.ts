/** The client's side of NTLM version 2, with a seal for what follows (MS-NLMP). */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { ProtocolViolation } from '../../protocol-violation.ts'
import { Cursor, u16, u32 } from '../cursor.ts'
import type { Account } from '../sign-on.ts'
import { md4, rc4 } from './legacy.ts'

const SIGNATURE = Buffer.from('NTLMSSP\0')
/** Text in Unicode, signed, sealed and with keys of 128 bits of their own. */
const FLAGS = 0xe2088237
const TARGET_INFO = 0x0080_0000
/** Windows 10; nothing depends on it. */
const VERSION = Buffer.from('0a0063450000000f', 'hex')
const HEADER_BYTES = 88
const MIC_AT = 72
const AV = { end: 0, flags: 6, timestamp: 7, targetName: 9, channelBindings: 10 } as const
/** The message with the proof is itself proven. */
const HAS_MIC = 2

/** Seals what goes to the server, and opens what comes. */
export interface Seal {
  seal(message: Buffer): Buffer
  /** Throws ProtocolViolation for what the server has not sealed. */
  open(sealed: Buffer): Buffer
}

export const ntlmNegotiate = (): Buffer => Buffer.concat([SIGNATURE, u32(1, FLAGS), Buffer.alloc(16), VERSION])

/** Random values that a test fixes. */
export interface Chances {
  clientChallenge: Buffer
  sessionKey: Buffer
  /** In 100 nanoseconds since 1601. */
  now: bigint
}

const byChance = (): Chances => ({
  clientChallenge: randomBytes(8),
  sessionKey: randomBytes(16),
  now: (BigInt(Date.now()) + 11_644_473_600_000n) * 10_000n,
})

/** Proves an account without showing its password. Throws ProtocolViolation. */
export function ntlmAuthenticate(
  challenge: Buffer,
  account: Account,
  host: string,
  { clientChallenge, sessionKey, now } = byChance(),
): { message: Buffer; seal: Seal } {
  const { flags, serverChallenge, info } = readChallenge(challenge)
  const timestamp = info.find(({ id }) => id === AV.timestamp)?.value
  const key = ownKey(account)
  const temporary = Buffer.concat([
    Buffer.of(1, 1, 0, 0, 0, 0, 0, 0),
    timestamp ?? u64(now),
    clientChallenge,
    u32(0),
    answeredInfo(info, host, timestamp !== undefined),
    u32(0),
  ])
  const proof = hmac(key, serverChallenge, temporary)
  const older = timestamp
    ? Buffer.alloc(24)
    : Buffer.concat([hmac(key, serverChallenge, clientChallenge), clientChallenge])
  const texts = [account.domain, account.username, ''].map((text) => Buffer.from(text, 'utf16le'))
  const fields = [older, Buffer.concat([proof, temporary]), ...texts, rc4(hmac(key, proof))(sessionKey)]
  let at = HEADER_BYTES
  const places = fields.map(({ length }) => {
    at += length
    return Buffer.concat([u16(length, length), u32(at - length)])
  })
  const negotiated = (flags & (FLAGS | TARGET_INFO)) >>> 0
  const message = Buffer.concat([SIGNATURE, u32(3), ...places, u32(negotiated), VERSION, Buffer.alloc(16), ...fields])
  if (timestamp) hmac(sessionKey, ntlmNegotiate(), challenge, message).copy(message, MIC_AT)
  return { message, seal: sealOf(sessionKey) }
}

interface Information {
  id: number
  value: Buffer
}

function readChallenge(challenge: Buffer): { flags: number; serverChallenge: Buffer; info: Information[] } {
  const read = new Cursor(challenge)
  if (!read.take(8).equals(SIGNATURE) || read.u32() !== 2) throw new ProtocolViolation('no challenge of NTLM')
  read.skip(8)
  const flags = read.u32()
  const serverChallenge = read.take(8)
  read.skip(8)
  const length = read.u16()
  read.skip(2)
  const pairs = new Cursor(new Cursor(challenge, read.u32()).take(length))
  const info: Information[] = []
  while (pairs.left) {
    const id = pairs.u16()
    const value = pairs.take(pairs.u16())
    if (id === AV.end) break
    info.push({ id, value })
  }
  return { flags, serverChallenge, info }
}

/** Facts that the server has sent about itself, and the server that the proof is for. */
function answeredInfo(info: readonly Information[], host: string, hasMic: boolean): Buffer {
  const pair = (id: number, value: Buffer) => Buffer.concat([u16(id, value.length), value])
  const own: readonly number[] = [AV.flags, AV.targetName, AV.channelBindings]
  return Buffer.concat([
    ...info.filter(({ id }) => !own.includes(id)).map(({ id, value }) => pair(id, value)),
    ...(hasMic ? [pair(AV.flags, u32(HAS_MIC))] : []),
    pair(AV.channelBindings, Buffer.alloc(16)),
    pair(AV.targetName, Buffer.from(`TERMSRV/${host}`, 'utf16le')),
    u32(0),
  ])
}

function ownKey({ domain, username, password }: Account): Buffer {
  return hmac(md4(Buffer.from(password, 'utf16le')), Buffer.from(username.toUpperCase() + domain, 'utf16le'))
}

function sealOf(sessionKey: Buffer): Seal {
  const key = (way: string, what: string) =>
    createHash('md5').update(sessionKey).update(`session key to ${way} ${what} key magic constant\0`).digest()
  const side = (way: string) => ({ sign: key(way, 'signing'), cipher: rc4(key(way, 'sealing')), sequence: 0 })
  const out = side('client-to-server')
  const back = side('server-to-client')
  return {
    seal(message) {
      const sequence = u32(out.sequence++)
      const sealed = out.cipher(message)
      const check = out.cipher(hmac(out.sign, sequence, message).subarray(0, 8))
      return Buffer.concat([u32(1), check, sequence, sealed])
    },
    open(sealed) {
      const read = new Cursor(sealed, 4)
      const check = read.take(8)
      const sequence = u32(back.sequence++)
      read.skip(4)
      const message = back.cipher(read.rest())
      if (!back.cipher(hmac(back.sign, sequence, message).subarray(0, 8)).equals(check))
        throw new ProtocolViolation('a seal that is not the server’s')
      return message
    },
  }
}

function hmac(key: Buffer, ...parts: Buffer[]): Buffer {
  const made = createHmac('md5', key)
  for (const part of parts) made.update(part)
  return made.digest()
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
