import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

export const KEY_BYTES = 32
/** Bytes of a key's id, as every sealed value carries it. */
export const KEY_ID_BYTES = 8

/**
 * A key that seals secrets. Lives in memory, in the key file or a setting, never in the database.
 */
export interface SecretKey {
  /**
   * 16 hex digits that tell the key apart and say nothing of it: derived from the key itself, so
   * that every node knows it by the same id.
   */
  id: string
  bytes: Buffer
  /** What fingerprints are made with. */
  fingerprintKey: Buffer
}

export function secretKey(bytes: Buffer): SecretKey {
  if (bytes.length !== KEY_BYTES) throw new Error(`a key has ${KEY_BYTES} bytes, not ${bytes.length}`)
  const id = createHmac('sha256', bytes).update('key id').digest().subarray(0, KEY_ID_BYTES).toString('hex')
  return { id, bytes, fingerprintKey: Buffer.from(hkdfSync('sha256', bytes, '', 'fingerprint', KEY_BYTES)) }
}

/** The key of a setting: any text. */
export const keyOfText = (text: string): SecretKey => secretKey(createHash('sha256').update(text).digest())

export const newKey = (): SecretKey => secretKey(randomBytes(KEY_BYTES))
