import { isUtf8 } from 'node:buffer'

/**
 * A byte that is not UTF-8 becomes one of U+DC80 to U+DCFF, which are never alone in real text (as
 * Python's `surrogateescape` does).
 */
const ESCAPE = 0xdc00

/**
 * A name on the machine as text. `nameBytes` turns it back into the same bytes, even if they are
 * not UTF-8.
 */
export function nameOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  let name = ''
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at)
    name += length ? bytes.toString('utf8', at, at + length) : String.fromCharCode(ESCAPE + (bytes[at] ?? 0))
    at += length || 1
  }
  return name
}

/** The bytes of a name. */
export function nameBytes(name: string): Buffer {
  if (name.isWellFormed()) return Buffer.from(name, 'utf8')
  return Buffer.concat([...name].map((character) => escapedByte(character) ?? Buffer.from(character, 'utf8')))
}

function escapedByte(character: string): Buffer | undefined {
  const code = character.charCodeAt(0) - ESCAPE
  return character.length === 1 && code >= 0x80 && code <= 0xff ? Buffer.from([code]) : undefined
}

/** Length in bytes of the UTF-8 character at this place; 0 when there is none. */
function characterLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0
}
