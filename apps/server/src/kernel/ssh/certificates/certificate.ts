/**
 * Certificates of OpenSSH as strangers send them (PROTOCOL.certkeys of OpenSSH). Anything that is not
 * exactly as it has to be is no certificate.
 */
import { createPublicKey, verify } from 'node:crypto'
import { parseKey } from '../keys/plain-key.ts'
import { FieldReader, field } from '../keys/wire.ts'

export const CERTIFIED = '-cert-v01@openssh.com'
const KINDS: Readonly<Record<number, 'user' | 'host'>> = { 1: 'user', 2: 'host' }
/** Fields of the key itself, by its type. */
const KEY_FIELDS: Readonly<Record<string, number>> = {
  'ssh-ed25519': 1,
  'ssh-rsa': 2,
  'ecdsa-sha2-nistp256': 2,
  'ecdsa-sha2-nistp384': 2,
  'ecdsa-sha2-nistp521': 2,
}

export interface Certificate {
  kind: 'user' | 'host'
  /** The key that it is about, as it is without a certificate. */
  key: Buffer
  serial: bigint
  keyId: string
  principals: readonly string[]
  /** Seconds since 1970. */
  validAfter: bigint
  validBefore: bigint
  criticalOptions: ReadonlyMap<string, Buffer>
  /** The key that has signed it, which is none of a certificate. */
  authority: Buffer
}

/** The type of a key at the front of its wire form; empty for what has none. */
export function typeOfKey(blob: Buffer): string {
  try {
    return new FieldReader(blob).text()
  } catch {
    return ''
  }
}

/** Reads a certificate and proves its signature. Undefined for anything else. */
export function readCertificate(blob: Buffer): Certificate | undefined {
  try {
    return readWhole(blob)
  } catch {
    return undefined
  }
}

function readWhole(blob: Buffer): Certificate | undefined {
  const reader = new FieldReader(blob)
  const type = reader.text()
  const plain = type.endsWith(CERTIFIED) ? type.slice(0, -CERTIFIED.length) : ''
  const fields = KEY_FIELDS[plain]
  if (!fields) return undefined
  reader.bytes() // what makes each one differ
  const parts = Array.from({ length: fields }, () => field(Buffer.from(reader.bytes())))
  const key = Buffer.concat([field(Buffer.from(plain)), ...parts])
  const serial = reader.raw(8).readBigUInt64BE()
  const kind = KINDS[reader.number()]
  const keyId = reader.bytes().toString('utf8')
  const principals = textsOf(reader.bytes())
  const validAfter = reader.raw(8).readBigUInt64BE()
  const validBefore = reader.raw(8).readBigUInt64BE()
  const criticalOptions = optionsOf(reader.bytes())
  optionsOf(reader.bytes()) // what it permits, which means nothing here
  reader.bytes()
  const authority = Buffer.from(reader.bytes())
  const signature = reader.bytes()
  if (!kind || !reader.isAtEnd || !(typeOfKey(authority) in KEY_FIELDS) || !parseKey(lineOf(key))) return undefined
  const signed = blob.subarray(0, blob.length - signature.length - 4)
  if (!isSigned(authority, signed, signature)) return undefined
  return { kind, key, serial, keyId, principals, validAfter, validBefore, criticalOptions, authority }
}

const lineOf = (blob: Buffer) => `${typeOfKey(blob)} ${blob.toString('base64')}`

function textsOf(bytes: Buffer): string[] {
  const texts: string[] = []
  const reader = new FieldReader(bytes)
  while (!reader.isAtEnd) texts.push(reader.bytes().toString('utf8'))
  return texts
}

/** Names in their order, each once. */
function optionsOf(bytes: Buffer): Map<string, Buffer> {
  const options = new Map<string, Buffer>()
  const reader = new FieldReader(bytes)
  let last = ''
  while (!reader.isAtEnd) {
    const name = reader.text()
    if (name <= last) throw new RangeError('options are out of order')
    options.set(name, Buffer.from(reader.bytes()))
    last = name
  }
  return options
}

/** Signatures by SHA-1 count for nothing. */
const HASHES: Readonly<Record<string, { key: string; hash: string | null }>> = {
  'ssh-ed25519': { key: 'ssh-ed25519', hash: null },
  'rsa-sha2-256': { key: 'ssh-rsa', hash: 'sha256' },
  'rsa-sha2-512': { key: 'ssh-rsa', hash: 'sha512' },
  'ecdsa-sha2-nistp256': { key: 'ecdsa-sha2-nistp256', hash: 'sha256' },
  'ecdsa-sha2-nistp384': { key: 'ecdsa-sha2-nistp384', hash: 'sha384' },
  'ecdsa-sha2-nistp521': { key: 'ecdsa-sha2-nistp521', hash: 'sha512' },
}
const CURVE_BYTES: Readonly<Record<string, number>> = {
  'ecdsa-sha2-nistp256': 32,
  'ecdsa-sha2-nistp384': 48,
  'ecdsa-sha2-nistp521': 66,
}

function isSigned(authority: Buffer, signed: Buffer, signature: Buffer): boolean {
  const reader = new FieldReader(signature)
  const algorithm = reader.text()
  const how = HASHES[algorithm]
  if (how?.key !== typeOfKey(authority)) return false
  const value = reader.bytes()
  if (!reader.isAtEnd) return false
  const pem = parseKey(lineOf(authority))?.getPublicPEM()
  if (!pem) return false
  const size = CURVE_BYTES[algorithm]
  if (!size) return verify(how.hash, signed, createPublicKey(pem), value)
  const numbers = new FieldReader(value)
  const [r, s] = [numbers.integer(), numbers.integer()]
  if (!numbers.isAtEnd || r.length > size || s.length > size) return false
  const padded = [r, s].map((number) => Buffer.concat([Buffer.alloc(size - number.length), number]))
  return verify(how.hash, signed, { key: createPublicKey(pem), dsaEncoding: 'ieee-p1363' }, Buffer.concat(padded))
}

/** Whether it holds at this moment. */
export function isInTime({ validAfter, validBefore }: Certificate, now = Date.now()): boolean {
  const seconds = BigInt(Math.floor(now / 1000))
  return validAfter <= seconds && seconds < validBefore
}
