import { createDecipheriv } from 'node:crypto'
import { fromBase64, utf8 } from './base64.ts'

const BLOCK = 16

/** Whether a text could be whole blocks in base64, as the forms without a check are. */
export const isBlockShaped = (text: string): boolean => {
  const bytes = fromBase64(text, 'base64') ?? fromBase64(text, 'base64url')
  return bytes !== undefined && bytes.length > 0 && bytes.length % BLOCK === 0
}

/**
 * Opens SM4-ECB, filled as PKCS7 does, in urlsafe base64. Nothing authenticates it: a wrong key is
 * known only by text that is none.
 */
export function openSm4(text: string, key: Buffer): string | undefined {
  const blocks = decrypted('sm4-ecb', text, 'base64url', key)
  const fill = blocks?.at(-1)
  if (!blocks || !fill || fill > BLOCK) return undefined
  const end = blocks.length - fill
  return blocks.subarray(end).every((byte) => byte === fill) ? readable(blocks.subarray(0, end)) : undefined
}

/** Opens SM4-ECB of cipher devices, which is filled with zeros. */
export const openSm4OfDevice = (text: string, key: Buffer): string | undefined =>
  withoutZeros(decrypted('sm4-ecb', text, 'base64url', key))

/** Opens AES-ECB filled with zeros, in standard base64. Nothing authenticates it either. */
export const openAesBlocks = (text: string, key: Buffer): string | undefined =>
  withoutZeros(decrypted(key.length === 16 ? 'aes-128-ecb' : 'aes-256-ecb', text, 'base64', key))

function decrypted(cipher: string, text: string, alphabet: 'base64' | 'base64url', key: Buffer): Buffer | undefined {
  const sealed = fromBase64(text, alphabet)
  if (!sealed || sealed.length % BLOCK !== 0) return undefined
  const decipher = createDecipheriv(cipher, key, null).setAutoPadding(false)
  return Buffer.concat([decipher.update(sealed), decipher.final()])
}

function withoutZeros(blocks: Buffer | undefined): string | undefined {
  if (!blocks) return undefined
  let end = blocks.length
  while (end > 0 && blocks[end - 1] === 0) end -= 1
  // More than a block is never filled: such zeros are part of something else.
  return blocks.length - end < BLOCK ? readable(blocks.subarray(0, end)) : undefined
}

/** Text as people and programs write it. Control characters come from another key. */
function readable(bytes: Buffer): string | undefined {
  const text = utf8(bytes)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones looked for.
  return text === undefined || /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text) ? undefined : text
}
