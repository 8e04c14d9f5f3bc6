import { argon2, createDecipheriv, createECDH, createHash, createPrivateKey, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { FieldReader } from './wire.ts'

/**
 * Headers of a PPK file (PuTTY's manual, appendix C). Their order is fixed, so a file whose lines
 * were joined can still be taken apart by them.
 */
const HEADER =
  /\b(PuTTY-User-Key-File-[23]|Encryption|Comment|Public-Lines|Key-Derivation|Argon2-Memory|Argon2-Passes|Argon2-Parallelism|Argon2-Salt|Private-Lines|Private-MAC): /

/** PuTTY itself takes 8 MB, and as many passes as a tenth of a second allows. */
const MAX_MEMORY_KB = 128 * 1024
const MAX_WORK_KB = 4 * 1024 * 1024
const MAX_THREADS = 16

const CURVES: Readonly<Record<string, { node: string; jwk: string }>> = {
  nistp256: { node: 'prime256v1', jwk: 'P-256' },
  nistp384: { node: 'secp384r1', jwk: 'P-384' },
  nistp521: { node: 'secp521r1', jwk: 'P-521' },
}

/** Why a key is not read. */
export type PuttyFault = 'malformed' | 'locked' | 'wrong' | 'costly' | 'dsa' | 'type'

/** Reads a private key of PuTTY, of version 2 or 3. */
export async function readPuttyKey(text: string, passphrase: string | undefined): Promise<KeyObject | PuttyFault> {
  const headers = headersOf(text)
  const type = headers['PuTTY-User-Key-File-2'] ?? headers['PuTTY-User-Key-File-3'] ?? ''
  const isEncrypted = headers.Encryption === 'aes256-cbc'
  if (!isEncrypted && headers.Encryption !== 'none') return 'malformed'
  if (type === 'ssh-dss') return 'dsa'
  if (isEncrypted && !passphrase) return 'locked'
  const publicBlob = bodyOf(headers['Public-Lines'])
  const stored = bodyOf(headers['Private-Lines'])
  const opened = isEncrypted ? await decrypt(headers, stored, passphrase ?? '') : stored
  if (!Buffer.isBuffer(opened)) return opened
  try {
    const key = keyOf(type, new FieldReader(publicBlob), new FieldReader(opened))
    return key ?? 'type'
  } catch {
    // Another passphrase makes other bytes of it, which are no key, or not this one.
    return isEncrypted ? 'wrong' : 'malformed'
  }
}

function headersOf(text: string): Record<string, string | undefined> {
  const [, ...parts] = text.split(HEADER)
  const headers: Record<string, string> = {}
  for (let at = 0; at + 1 < parts.length; at += 2) headers[parts[at] ?? ''] ??= (parts[at + 1] ?? '').trim()
  return headers
}

/** After the number of lines come these, in Base64. */
const bodyOf = (lines = '') => Buffer.from(lines.replace(/^\d+\s/, ''), 'base64')

async function decrypt(
  headers: Readonly<Record<string, string | undefined>>,
  stored: Buffer,
  passphrase: string,
): Promise<Buffer | 'malformed' | 'costly'> {
  const secret = headers['PuTTY-User-Key-File-3'] ? await argonOf(headers, passphrase) : shaOf(passphrase)
  if (!Buffer.isBuffer(secret)) return secret
  if (!stored.length || stored.length % 16 !== 0) return 'malformed'
  const decipher = createDecipheriv('aes-256-cbc', secret.subarray(0, 32), secret.subarray(32, 48))
  decipher.setAutoPadding(false)
  return Buffer.concat([decipher.update(stored), decipher.final()])
}

/** Key and initialization vector of version 2. */
function shaOf(passphrase: string): Buffer {
  const part = (n: number) =>
    createHash('sha1')
      .update(Buffer.from([0, 0, 0, n]))
      .update(passphrase)
      .digest()
  return Buffer.concat([Buffer.concat([part(0), part(1)]).subarray(0, 32), Buffer.alloc(16)])
}

/** Key and initialization vector of version 3. */
async function argonOf(
  headers: Readonly<Record<string, string | undefined>>,
  passphrase: string,
): Promise<Buffer | 'malformed' | 'costly'> {
  const [memory, passes, parallelism] = ['Memory', 'Passes', 'Parallelism'].map((name) =>
    Number(headers[`Argon2-${name}`]),
  )
  const algorithm = headers['Key-Derivation']?.toLowerCase() as 'argon2id'
  const isRead = ['argon2id', 'argon2i', 'argon2d'].includes(algorithm) && memory && passes && parallelism
  if (!isRead) return 'malformed'
  if (memory > MAX_MEMORY_KB || memory * passes > MAX_WORK_KB || parallelism > MAX_THREADS) return 'costly'
  const nonce = Buffer.from(headers['Argon2-Salt'] ?? '', 'hex')
  const parameters = { message: passphrase, nonce, parallelism, tagLength: 80, memory, passes }
  return promisify(argon2)(algorithm, parameters).catch(() => 'malformed' as const)
}

/** The key, if the private half belongs to the public one; else it throws. Undefined for other types. */
function keyOf(type: string, shown: FieldReader, hidden: FieldReader): KeyObject | undefined {
  if (shown.text() !== type) throw new Error('the public half is of another type')
  if (type === 'ssh-rsa') return rsaKey(shown, hidden)
  if (type === 'ssh-ed25519') return ed25519Key(shown.bytes(), hidden.bytes())
  const curve = /^ecdsa-sha2-(nistp\d+)$/.exec(type)?.[1]
  return curve && CURVES[curve] && shown.text() === curve
    ? ecKey(CURVES[curve], shown.bytes(), hidden.integer())
    : undefined
}

const word = (bytes: Buffer) => bytes.toString('base64url')
const big = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex') || '0'}`)
const bytesOf = (value: bigint) => {
  const hex = value.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
}

function rsaKey(shown: FieldReader, hidden: FieldReader): KeyObject {
  const [e, n] = [shown.integer(), shown.integer()]
  const [d, p, q, qi] = [hidden.integer(), hidden.integer(), hidden.integer(), hidden.integer()]
  if (big(p) * big(q) !== big(n)) throw new Error('the halves do not belong together')
  const [dp, dq] = [p, q].map((prime) => bytesOf(big(d) % (big(prime) - 1n)))
  const jwk = Object.entries({ n, e, d, p, q, dp, dq, qi }).map(([name, value = Buffer.alloc(0)]) => [
    name,
    word(value),
  ])
  return createPrivateKey({ format: 'jwk', key: { kty: 'RSA', ...Object.fromEntries(jwk) } })
}

function ed25519Key(point: Buffer, seed: Buffer): KeyObject {
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: word(point), d: word(seed) } })
  if (key.export({ format: 'jwk' }).x !== word(point)) throw new Error('the halves do not belong together')
  return key
}

function ecKey(curve: { node: string; jwk: string }, point: Buffer, secret: Buffer): KeyObject {
  const pair = createECDH(curve.node)
  pair.setPrivateKey(secret)
  if (!pair.getPublicKey().equals(point)) throw new Error('the halves do not belong together')
  const size = (point.length - 1) / 2
  const d = Buffer.concat([Buffer.alloc(Math.max(size - secret.length, 0)), secret])
  const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)]
  return createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: curve.jwk, x: word(x), y: word(y), d: word(d) } })
}
