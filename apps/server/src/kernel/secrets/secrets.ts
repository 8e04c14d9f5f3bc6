import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { KeyRing } from './key-ring.ts'
import { KEY_ID_BYTES, type SecretKey } from './secret-key.ts'

/** Seals secrets for storage and opens them again, in memory only. */
export interface Secrets {
  /** AES-256-GCM; the result holds version, key id, nonce and tag, and differs at every call. */
  seal(plain: string): Buffer
  /**
   * Throws when the value was sealed under a key that this process does not hold or has been
   * tampered with.
   */
  open(sealed: Buffer): string
  /**
   * HMAC-SHA256 under a separate key, for storing short codes, which a plain hash would give away.
   * Stable until the key is rotated.
   */
  fingerprint(plain: string): Buffer
  /**
   * What `fingerprint` answers now and answered before rotations, to compare with what is stored.
   */
  fingerprints(plain: string): Buffer[]
}

/** Version, key id, nonce, tag, body. */
const VERSION = 2
const HEADER_BYTES = 1 + KEY_ID_BYTES
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createSecrets(ring: KeyRing): Secrets {
  return {
    seal: (plain) => seal(plain, ring.current),
    open: (sealed) => open(sealed, ring),
    fingerprint: (plain) => fingerprint(plain, ring.current),
    fingerprints: (plain) => ring.all.map((key) => fingerprint(plain, key)),
  }
}

/** How every value that is sealed under this key begins. */
export const headerOf = ({ id }: SecretKey): Buffer => Buffer.concat([Buffer.of(VERSION), Buffer.from(id, 'hex')])

function seal(plain: string, key: SecretKey): Buffer {
  const header = headerOf(key)
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(header)
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([header, nonce, cipher.getAuthTag(), body])
}

function open(sealed: Buffer, ring: KeyRing): string {
  if (sealed[0] !== VERSION) throw new Error('sealed value of an unknown version')
  const header = sealed.subarray(0, HEADER_BYTES)
  const id = header.subarray(1).toString('hex')
  const key = ring.find(id)
  if (!key) throw new Error(`sealed under a key that this process does not hold (${id})`)
  return decipher(sealed.subarray(HEADER_BYTES), key, header)
}

function decipher(rest: Buffer, { bytes }: SecretKey, header: Buffer): string {
  const nonce = rest.subarray(0, NONCE_BYTES)
  const tag = rest.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const one = createDecipheriv('aes-256-gcm', bytes, nonce, { authTagLength: TAG_BYTES }).setAAD(header)
  one.setAuthTag(tag)
  return one.update(rest.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + one.final('utf8')
}

function fingerprint(plain: string, { fingerprintKey }: SecretKey): Buffer {
  return createHmac('sha256', fingerprintKey).update(plain).digest()
}
