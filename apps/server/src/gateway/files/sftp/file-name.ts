import { isUtf8 } from 'node:buffer'
import { visibleName } from '@sallyport/contract/names.ts'

/**
 * A byte that is not UTF-8 becomes one of U+EF80 to U+EFFF, for private use: text that every part
 * of the way keeps, browsers and addresses included (MirBSD's OPTU-16). Where a name really has one
 * of these characters, its three bytes stand so: no two names become the same text.
 */
const ESCAPE = 0xef00
const FIRST = ESCAPE + 0x80
const LAST = ESCAPE + 0xff
const ESCAPED = /[\uef80-\uefff]/
/** A name on the machine as text. `nameBytes` turns it back into the same bytes, whatever they are. */
export function nameOf(bytes: Buffer): string {
  if (isUtf8(bytes)) {
    const name = bytes.toString('utf8')
    if (!ESCAPED.test(name)) return name
  }
  let name = ''
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at)
    const character = bytes.toString('utf8', at, at + length)
    const isPlain = length > 0 && !ESCAPED.test(character)
    name += isPlain ? character : String.fromCharCode(ESCAPE + (bytes[at] ?? 0))
    at += isPlain ? length : 1
  }
  return name
}

/** The bytes of a name. */
export function nameBytes(name: string): Buffer {
  if (!ESCAPED.test(name)) return Buffer.from(name, 'utf8')
  return Buffer.concat(
    [...name].map((character) => {
      const byte = escapedByte(character)
      return byte === undefined ? Buffer.from(character, 'utf8') : Buffer.from([byte])
    }),
  )
}

/**
 * A name for people and logs. One with bytes that are not UTF-8 is quoted as a shell takes it,
 * `$'caf\xe9'` (POSIX.1-2024 §2.2.4), and so is one with characters that nobody sees (`\u202e`) or
 * one that begins like that: the name can be read back from it, and none passes for another.
 */
export function readableName(name: string): string {
  if (!ESCAPED.test(name) && visibleName(name) === name && !name.startsWith("$'")) return name
  const quoted = [...name].map((character) => {
    const byte = escapedByte(character)
    if (byte !== undefined) return `\\x${byte.toString(16)}`
    return character === '\\' || character === "'" ? `\\${character}` : visibleName(character)
  })
  return `$'${quoted.join('')}'`
}

function escapedByte(character: string): number | undefined {
  const code = character.charCodeAt(0)
  return code >= FIRST && code <= LAST ? code - ESCAPE : undefined
}

/** Length in bytes of the UTF-8 character at this place; 0 when there is none. */
function characterLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0
}
