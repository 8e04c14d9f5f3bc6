import { createHmac, timingSafeEqual } from 'node:crypto'
import { utf8 } from './base64.ts'

/** A text of JumpServer's signer: a compact JWS, signed and readable without a key. */
export interface SignedText {
  /** A token that ends at a time, which is no stored secret. */
  timed: boolean
  /** Its payload, where one of the keys signed it. */
  verified(key: Buffer): string | undefined
}

/** Headers of the signer have less than 100 characters. */
const LONGEST_HEADER = 512

/** Takes a text as a signed one; undefined where it is none, or signed in a way that the signer is not. */
export function signedText(text: string): SignedText | undefined {
  const [header = '', payload = '', signature = '', ...more] = text.split('.', 4)
  if (more.length || !header || !signature || header.length > LONGEST_HEADER) return undefined
  const fields = json(header)
  if (typeof fields !== 'object' || fields === null || !('alg' in fields) || fields.alg !== 'HS256') return undefined
  const given = Buffer.from(signature, 'base64url')
  return {
    timed: 'iat' in fields || 'exp' in fields,
    verified(key) {
      const expected = createHmac('sha256', key).update(`${header}.${payload}`).digest()
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
      const value = json(payload)
      return typeof value === 'string' ? value : value === undefined ? undefined : JSON.stringify(value)
    },
  }
}

function json(part: string): unknown {
  const text = utf8(Buffer.from(part, 'base64url'))
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
