import { constants, createHash, publicEncrypt } from 'node:crypto'
import { Point } from '@noble/ed25519'

/** Ways to prove a password, by their names on the wire. */
export const PLUGIN = {
  native: 'mysql_native_password',
  cachingSha2: 'caching_sha2_password',
  ed25519: 'client_ed25519',
  clear: 'mysql_clear_password',
} as const

const hash = (algorithm: string, ...parts: (Buffer | Uint8Array)[]) => {
  const sum = createHash(algorithm)
  for (const part of parts) sum.update(part)
  return sum.digest()
}

/** Each byte with that of the key, which starts again at its end. */
const xor = (bytes: Buffer, key: Buffer) =>
  Buffer.from(bytes.map((byte, at) => byte ^ (key[at % key.length] as number)))

/** `mysql_native_password`: SHA1(password) ⊕ SHA1(nonce + SHA1(SHA1(password))). */
export function nativeProof(password: string, nonce: Buffer): Buffer {
  if (!password) return Buffer.alloc(0)
  const once = hash('sha1', Buffer.from(password))
  return xor(once, hash('sha1', nonce, hash('sha1', once)))
}

/** Value that a server stores of a password for that, and takes in its place. */
export const nativeStored = (password: string): string =>
  `*${hash('sha1', hash('sha1', Buffer.from(password)))
    .toString('hex')
    .toUpperCase()}`

/** `caching_sha2_password`, fast: SHA256(password) ⊕ SHA256(SHA256(SHA256(password)) + nonce). */
export function cachingSha2Proof(password: string, nonce: Buffer): Buffer {
  if (!password) return Buffer.alloc(0)
  const once = hash('sha256', Buffer.from(password))
  return xor(once, hash('sha256', hash('sha256', once), nonce))
}

/** `caching_sha2_password` in full, without TLS: for the server's key alone to read. */
export function encryptedPassword(password: string, nonce: Buffer, publicKey: string): Buffer {
  const masked = xor(Buffer.from(`${password}\0`), nonce)
  return publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }, masked)
}

/** Order of the curve's base point (RFC 8032 §5.1). */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

/**
 * MariaDB's `ed25519`: the nonce, signed by RFC 8032 §5.1.6 with the password in place of the 32
 * bytes of a private key, which is why Node's own can't sign it.
 */
export function ed25519Proof(password: string, nonce: Buffer): Buffer {
  const { expanded, scalar, publicKey } = ed25519Key(password)
  const secret = littleEndian(hash('sha512', expanded.subarray(32), nonce)) % ORDER
  const commitment = Point.BASE.multiply(secret).toBytes()
  const challenge = littleEndian(hash('sha512', commitment, publicKey, nonce)) % ORDER
  const answer = ((secret + challenge * scalar) % ORDER).toString(16).padStart(64, '0')
  return Buffer.concat([commitment, Buffer.from(answer, 'hex').reverse()])
}

/** Value that a server stores of a password for that, and takes in its place. */
export const ed25519Stored = (password: string): string =>
  Buffer.from(ed25519Key(password).publicKey).toString('base64').replace(/=+$/, '')

function ed25519Key(password: string) {
  const expanded = hash('sha512', Buffer.from(password))
  const scalarBytes = Buffer.from(expanded.subarray(0, 32))
  scalarBytes[0] = (scalarBytes[0] as number) & 0xf8
  scalarBytes[31] = ((scalarBytes[31] as number) & 0x7f) | 0x40
  const scalar = littleEndian(scalarBytes) % ORDER
  return { expanded, scalar, publicKey: Point.BASE.multiply(scalar).toBytes() }
}

const littleEndian = (bytes: Buffer) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
