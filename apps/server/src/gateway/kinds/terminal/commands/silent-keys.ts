/** Where in a line keys change nothing, so that line editors show nothing of them. */
export type Place = 'begin' | 'end'

/** Back by a character, a word, to the beginning; and erasing that. Controls as their pictures. */
const AT_BEGIN = /^(?:[␁␂␈␕␗␡]|␛(?:[b␡]|[[O][DH]))+$/
/** Forward by a character, a word, to the end; and deleting that. */
const AT_END = /^(?:[␅␆␋]|␛(?:[df]|[[O][CF]))+$/
/**
 * Where keys that are sent together may do nothing; undefined for all others, among them those that
 * fetch text (history, completion, what was killed before).
 *
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

function pictureOf(byte: number): string {
  if (byte < 0x20) return String.fromCharCode(0x2400 + byte)
  return byte === 0x7f ? '␡' : String.fromCharCode(byte)
}
