/** An account is proven inside TLS before a server shows anything (MS-CSSP, called NLA). */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { ProtocolViolation } from '../../protocol-violation.ts'
import { StreamReader } from '../../read-stream.ts'
import { Cursor } from '../cursor.ts'
import type { Account } from '../sign-on.ts'
import { der, expectDer, field, integer, lengthAt, nextDer, octets, TAG } from './der.ts'
import { ntlmAuthenticate, ntlmNegotiate, type Seal } from './ntlm.ts'

const VERSION = 6
/** From this version on the key is proven by a hash with a number used once, else by itself. */
const HASHED = 5
const MAX_REQUEST = 64 * 1024

/** The server does not take this account; `status`: why, as Windows numbers it, where it says so. */
export class AccountRefused extends Error {
  readonly status: number | undefined

  constructor(status?: number) {
    super('the account is refused')
    this.status = status
  }
}

interface Proof {
  account: Account
  /** As the server is called. */
  host: string
  /** Its key, as its certificate has it (SubjectPublicKeyInfo). */
  spki: Buffer
}

/**
 * Proves an account, and that nobody sits in between: the server must know which key the gateway
 * has seen. Only then does it get the password. Throws AccountRefused and ProtocolViolation.
 */
export async function proveAccount(stream: Duplex, { account, host, spki }: Proof): Promise<void> {
  stream.write(request(VERSION, field(1, der(TAG.sequence, der(TAG.sequence, field(0, octets(ntlmNegotiate())))))))
  const first = await answer(stream)
  if (!first.token) throw new ProtocolViolation('no challenge of CredSSP')
  const version = Math.min(VERSION, first.version)
  const { message, seal } = ntlmAuthenticate(first.token, account, host)
  const key = keyOf(spki)
  const nonce = randomBytes(32)
  stream.write(
    request(
      version,
      field(1, der(TAG.sequence, der(TAG.sequence, field(0, octets(message))))),
      field(3, octets(seal.seal(version >= HASHED ? binding('Client-To-Server', nonce, key) : key))),
      ...(version >= HASHED ? [field(5, octets(nonce))] : []),
    ),
  )
  // Some servers say nothing to a wrong password, and close.
  const second = await answer(stream).catch((error: unknown) => {
    throw error instanceof ProtocolViolation || error instanceof AccountRefused ? error : new AccountRefused()
  })
  demandSameKey(second.keyProof, seal, version >= HASHED ? binding('Server-To-Client', nonce, key) : plusOne(key))
  stream.write(request(version, field(2, octets(seal.seal(credentials(account))))))
}

function demandSameKey(proof: Buffer | undefined, seal: Seal, expected: Buffer): void {
  const proven = proof && seal.open(proof)
  if (!proven || proven.length !== expected.length || !timingSafeEqual(proven, expected))
    throw new ProtocolViolation('the server has another key than the one that was seen')
}

function request(version: number, ...fields: Buffer[]): Buffer {
  return der(TAG.sequence, field(0, integer(version)), ...fields)
}

interface Answer {
  version: number
  token?: Buffer
  keyProof?: Buffer
}

async function answer(stream: Duplex): Promise<Answer> {
  const bytes = await new StreamReader(stream).until((read) => {
    const length = lengthAt(read, 1)
    if (!length) return undefined
    const end = length.end + length.value
    if (end > MAX_REQUEST) throw new ProtocolViolation('a message of CredSSP that is too long')
    return read.length < end ? undefined : { value: read.subarray(0, end), end }
  })
  const found: Answer = { version: 0 }
  const fields = expectDer(new Cursor(bytes), TAG.sequence)
  while (fields.left) {
    const { tag, contents } = nextDer(fields)
    const n = tag & 0x1f
    if (n === 0) found.version = numberOf(contents)
    if (n === 1) found.token = octetsOf(expectDer(expectDer(expectDer(contents, TAG.sequence), TAG.sequence), 0xa0))
    if (n === 3) found.keyProof = octetsOf(contents)
    if (n === 4) throw new AccountRefused(numberOf(contents))
  }
  if (found.version < 2) throw new ProtocolViolation('a version of CredSSP that is too old')
  return found
}

const octetsOf = (read: Cursor) => expectDer(read, TAG.octets).rest()

function numberOf(read: Cursor): number {
  const bytes = expectDer(read, TAG.integer).rest().subarray(-4)
  if (!bytes.length) throw new ProtocolViolation('a number without digits')
  return bytes.readUIntBE(0, bytes.length)
}

function binding(way: string, nonce: Buffer, key: Buffer): Buffer {
  return createHash('sha256').update(`CredSSP ${way} Binding Hash\0`).update(nonce).update(key).digest()
}

function plusOne(key: Buffer): Buffer {
  const next = Buffer.from(key)
  for (let n = 0; n < next.length; n++) {
    next[n] = ((next[n] as number) + 1) & 0xff
    if (next[n]) break
  }
  return next
}

/** The key itself, without what says of which kind it is. */
function keyOf(spki: Buffer): Buffer {
  const parts = expectDer(new Cursor(spki), TAG.sequence)
  nextDer(parts)
  return expectDer(parts, TAG.bitString).rest().subarray(1)
}

function credentials({ domain, username, password }: Account): Buffer {
  const text = (n: number, value: string) => field(n, octets(Buffer.from(value, 'utf16le')))
  const typed = der(TAG.sequence, text(0, domain), text(1, username), text(2, password))
  return der(TAG.sequence, field(0, integer(1)), field(1, octets(typed)))
}
