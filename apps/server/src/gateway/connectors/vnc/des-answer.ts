import { createCipheriv } from 'node:crypto'

const KEY_BYTES = 8

/**
 * The answer to a challenge of VNC's own authentication (RFC 6143 §7.2.2): DES with the password's
 * first eight characters as the key, whose bits stand the other way round in each byte. OpenSSL has
 * single DES no more; three times the same key is the same.
 */
export function challengeAnswer(challenge: Buffer, password: string): Buffer {
  const key = Buffer.alloc(KEY_BYTES)
  Buffer.from(password, 'latin1').copy(key)
  for (const [n, byte] of key.entries()) key[n] = reversed(byte)
  const cipher = createCipheriv('des-ede3-ecb', Buffer.concat([key, key, key]), null).setAutoPadding(false)
  return Buffer.concat([cipher.update(challenge), cipher.final()])
}

function reversed(byte: number): number {
  let bits = 0
  for (let n = 0; n < 8; n++) bits |= ((byte >> n) & 1) << (7 - n)
  return bits
}
