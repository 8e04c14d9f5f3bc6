import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Seals secrets for storage and opens them again, in memory only. */
export interface Secrets {
  /** AES-256-GCM; the result holds version, nonce and tag, and differs at every call. */
  seal(plain: string): Buffer
  /** Throws when the value was sealed under another key or has been tampered with. */
  open(sealed: Buffer): string
  /** HMAC-SHA256 under a key of its own: what short codes are kept as, which a plain hash would give away. The same at every call. */
  fingerprint(plain: string): Buffer
}

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createSecrets(key: Buffer): Secrets {
  const fingerprintKey = Buffer.from(hkdfSync('sha256', key, '', 'fingerprint', 32))
  return {
    fingerprint: (plain) => createHmac('sha256', fingerprintKey).update(plain).digest(),
    seal(plain) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body])
    },
    open(sealed) {
      if (sealed[0] !== VERSION) throw new Error('sealed value of an unknown version')
      const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
      const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, nonce)
      decipher.setAuthTag(tag)
      return decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}

/**
 * The key that seals secrets: from the setting where given (any text; hashed to 32 bytes), else from `secret.key` (0600) in the data directory,
 * made at first start. Without it the database's secrets cannot be read: back it up apart from the database.
 */
export async function loadSecretKey(dataDirectory: string, setting: string | undefined): Promise<Buffer> {
  if (setting) return createHash('sha256').update(setting).digest()
  const path = join(dataDirectory, 'secret.key')
  try {
    return Buffer.from((await readFile(path, 'utf8')).trim(), 'base64')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const key = randomBytes(32)
    // `wx`: two processes that start at once must not overwrite each other's key.
    await writeFile(path, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
    return key
  }
}
