import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

export const KEY_BYTES = 32
/** Length in bytes of a key's id, which every sealed value carries. */
export const KEY_ID_BYTES = 8

/**
 * A key that seals secrets. It is in memory and in the key file or a setting, never in the database.
 */
export interface SecretKey {
  /**
   * 16 hex digits derived from the key, so that every node knows it by the same id; they do not
   * reveal it.
   */
  id: string
  bytes: Buffer
  /** The key of fingerprints. */
  fingerprintKey: Buffer
}

export function secretKey(bytes: Buffer): SecretKey {
  if (bytes.length !== KEY_BYTES) throw new Error(`a key has ${KEY_BYTES} bytes, not ${bytes.length}`)
  const id = createHmac('sha256', bytes).update('key id').digest().subarray(0, KEY_ID_BYTES).toString('hex')
  return { id, bytes, fingerprintKey: Buffer.from(hkdfSync('sha256', bytes, '', 'fingerprint', KEY_BYTES)) }
}

/** The key that a setting gives, which may be any text. */
export const keyOfText = (text: string): SecretKey => secretKey(createHash('sha256').update(text).digest())

export const newKey = (): SecretKey => secretKey(randomBytes(KEY_BYTES))
