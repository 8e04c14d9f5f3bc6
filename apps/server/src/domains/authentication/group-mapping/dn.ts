/**
 * Names of directory entries (RFC 4514), as they are compared: without regard to case, to spaces that
 * mean nothing, and to how a character is escaped. Text is never compared by its end or its beginning,
 * since an escaped comma belongs to a value.
 */

/** One attribute and value of a name, as they are compared. */
type Part = readonly [type: string, value: string]

/** The parts of a name from the entry up; an entry may be named by several attributes at once. */
export type Dn = readonly (readonly Part[])[]

const TYPE = /^(?:[a-z][a-z\d-]*|\d+(?:\.\d+)*)$/
/** Characters that are escaped in a value. */
const BARE = /["+,;<>]/

/** The parts of a name; undefined for a text that is none. */
export function parseDn(text: string): Dn | undefined {
  if (!text.trim()) return undefined
  const dn: Part[][] = []
  for (const name of splitAt(text, ',')) {
    const parts: Part[] = []
    for (const part of splitAt(name, '+')) {
      const equals = part.indexOf('=')
      const type = part
        .slice(0, Math.max(0, equals))
        .trim()
        .toLowerCase()
        .replace(/^oid\./, '')
      const value = equals > 0 ? comparable(part.slice(equals + 1)) : undefined
      if (!TYPE.test(type) || value === undefined) return undefined
      parts.push([type, value])
    }
    dn.push(parts.sort(byText))
  }
  return dn
}

/** One text for each name, however it is written. */
export const dnKey = (dn: Dn): string => JSON.stringify(dn)

/** The key of a name in a text; undefined for a text that is none. */
export function keyOfDn(text: string): string | undefined {
  const dn = parseDn(text)
  return dn && dnKey(dn)
}

/** Keys of a name and of everything above it. */
export const keysUp = (dn: Dn): string[] => dn.map((_, from) => dnKey(dn.slice(from)))

/** Parts between separators that are not escaped. */
function splitAt(text: string, separator: string): string[] {
  const parts: string[] = []
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === separator) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)]
}

/** A value without escapes, as it is compared; undefined for a malformed one. */
function comparable(written: string): string | undefined {
  // A space at the end counts only where it is escaped.
  const text = written.replace(/^ +/, '').replace(/(?<!\\)((?:\\\\)*) +$/, '$1')
  if (text.startsWith('#')) return /^#(?:[\da-f]{2})+$/i.test(text) ? text.toLowerCase() : undefined
  const bytes: number[] = []
  for (let at = 0; at < text.length; ) {
    const pair = /^\\([\da-f]{2})/i.exec(text.slice(at, at + 3))
    if (pair) {
      bytes.push(Number.parseInt(pair[1] ?? '', 16))
      at += 3
      continue
    }
    const isEscaped = text[at] === '\\'
    if (isEscaped) at++
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    if (at >= text.length || (!isEscaped && BARE.test(character))) return undefined
    bytes.push(...Buffer.from(character))
    at += character.length
  }
  return alike(Buffer.from(bytes).toString())
}

/** As directories compare names: in any case, with one space for several. */
const alike = (value: string) => value.normalize('NFC').toLowerCase().replace(/ +/g, ' ').trim()

const byText = ([a, x]: Part, [b, y]: Part) => (a < b || (a === b && x < y) ? -1 : 1)
