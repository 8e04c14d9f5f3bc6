/** What bytes of an unknown file are: a text and its encoding, a picture, or neither. */

export interface DecodedText {
  text: string
  /** As a person names it. */
  encoding: 'UTF-8' | 'UTF-16' | 'GBK' | 'Latin-1'
}

/** Bytes cut from the end of a character at most. */
const CUT = 4

/**
 * Guesses by what can be read without a fault: byte order marks, UTF-8, then GBK (with its superset
 * GB18030), which is what older Chinese systems write, and at last Latin-1, which reads everything.
 * Undefined for bytes that are no text. `isCut`: the last character may be incomplete.
 */
export function decodeText(bytes: Uint8Array, { isCut = false }: { isCut?: boolean } = {}): DecodedText | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return { text: new TextDecoder('utf-16le').decode(bytes), encoding: 'UTF-16' }
  if (bytes[0] === 0xfe && bytes[1] === 0xff)
    return { text: new TextDecoder('utf-16be').decode(bytes), encoding: 'UTF-16' }
  if (bytes.includes(0) || isBinary(bytes)) return undefined
  const strictly = (label: string) => {
    for (let cut = 0; cut <= (isCut ? CUT : 0); cut++) {
      try {
        return new TextDecoder(label, { fatal: true }).decode(bytes.subarray(0, bytes.length - cut))
      } catch {
        // With one byte less it may be whole.
      }
    }
    return undefined
  }
  const utf8 = strictly('utf-8')
  if (utf8 !== undefined) return { text: utf8, encoding: 'UTF-8' }
  const chinese = strictly('gb18030')
  if (chinese !== undefined && !isUnlikely(chinese)) return { text: chinese, encoding: 'GBK' }
  return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'Latin-1' }
}

/**
 * Western text can be read as GBK too, but gives rare characters: everyday Chinese lies in the
 * common block, punctuation and wide forms.
 */
function isUnlikely(text: string): boolean {
  const wide = [...text].filter((character) => character > '\x7f')
  const common = wide.filter((character) => /[\u4e00-\u9fff\u3000-\u303f\uff00-\uffef\u2010-\u203f]/.test(character))
  return common.length < wide.length * 0.9
}

/** More than a few control characters. */
function isBinary(bytes: Uint8Array): boolean {
  let odd = 0
  for (const byte of bytes) if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) odd += 1
  return odd > bytes.length / 100
}

const PICTURES: readonly [type: string, starts: readonly number[], at?: number][] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['image/bmp', [0x42, 0x4d]],
  ['image/x-icon', [0, 0, 1, 0]],
  ['image/webp', [0x57, 0x45, 0x42, 0x50], 8],
  ['image/avif', [0x66, 0x74, 0x79, 0x70, 0x61, 0x76, 0x69, 0x66], 4],
]

/**
 * The kind of picture, by its first bytes and not its name; SVG is a text here, because it can hold
 * script.
 */
export function pictureType(bytes: Uint8Array): string | undefined {
  return PICTURES.find(([, starts, at = 0]) => starts.every((byte, index) => bytes[at + index] === byte))?.[0]
}
