/** Place in a line where keys change nothing, so that line editors show nothing of them. */
export type Place = 'begin' | 'end'

/** Back by a character, a word, to the beginning; and erasing that. Controls as their pictures. */
const AT_BEGIN = /^(?:[␁␂␈␕␗␡]|␛(?:[b␡]|[[O][DH]))+$/
/** Forward by a character, a word, to the end; and deleting that. */
const AT_END = /^(?:[␅␆␋]|␛(?:[df]|[[O][CF]))+$/
/**
 * Place where keys that are sent together may do nothing; undefined for all others, among them
 * those that fetch text (history, completion, killed text).
 * Sequences that some shells do not know are missing: they leave their end in the line as text.
 */
export function silentAt(keys: Buffer): Place | undefined {
  const first = keys[0] ?? 0
  // Characters, which most keys are.
  if (first >= 0x20 && first !== 0x7f) return undefined
  const text = Array.from(keys, pictureOf).join('')
  if (AT_BEGIN.test(text)) return 'begin'
  return AT_END.test(text) ? 'end' : undefined
}

/** Marks of a paste, which is text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC starts them
const PASTE = /\x1b\[20[01]~/g

/** To the beginning, back by a character, erasing to the beginning: they bring nothing into a line. */
const BRINGS_NOTHING: ReadonlySet<number> = new Set([0x01, 0x02, 0x15])

/** How many of the keys that are sent together may bring another line; sequences count by how they begin. */
export function fetchingIn(keys: Buffer): number {
  let count = 0
  for (const byte of keys) if ((byte < 0x20 && !BRINGS_NOTHING.has(byte)) || byte === 0x7f) count++
  return count && count - (keys.toString('latin1').match(PASTE)?.length ?? 0)
}

function pictureOf(byte: number): string {
  if (byte < 0x20) return String.fromCharCode(0x2400 + byte)
  return byte === 0x7f ? '␡' : String.fromCharCode(byte)
}
