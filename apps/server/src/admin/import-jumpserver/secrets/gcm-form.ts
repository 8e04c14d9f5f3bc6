import { createDecipheriv } from 'node:crypto'
import { fromBase64, utf8 } from './base64.ts'

/** Header, nonce and tag are 16 bytes each, in base64: 22 characters and `==`. */
const PART = 24
const HEAD = /^(?:[A-Za-z0-9+/]{22}==){3}/

/** Whether a text has the form of AES-GCM, which no other form and hardly any plain text has. */
export const isGcmShaped = (text: string): boolean => HEAD.test(text.slice(0, 3 * PART))

/** Opens AES-256-GCM, where the header is authenticated with the text. Undefined under another key. */
export function openGcm(text: string, key: Buffer): string | undefined {
  const [header, nonce, tag] = [0, 1, 2].map((part) => fromBase64(text.slice(part * PART, (part + 1) * PART), 'base64'))
  const rest = text.slice(3 * PART)
  const sealed = rest === '' ? Buffer.alloc(0) : fromBase64(rest, 'base64')
  if (!header || !nonce || !tag || !sealed) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 }).setAAD(header).setAuthTag(tag)
  const opened = decipher.update(sealed)
  try {
    decipher.final()
  } catch {
    return undefined
  }
  return utf8(opened)
}
