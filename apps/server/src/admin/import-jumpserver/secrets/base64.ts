/**
 * Bytes of a text in the standard or the urlsafe alphabet, with its `=`; undefined for anything
 * else. Compared with its own encoding, since Node skips characters that are not base64.
 */
export function fromBase64(text: string, alphabet: 'base64' | 'base64url'): Buffer | undefined {
  if (text.length === 0 || text.length % 4 !== 0) return undefined
  const bytes = Buffer.from(text, 'base64')
  const standard = bytes.toString('base64')
  const again = alphabet === 'base64' ? standard : standard.replaceAll('+', '-').replaceAll('/', '_')
  return again === text ? bytes : undefined
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text that bytes are in UTF-8; undefined where they are not. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
