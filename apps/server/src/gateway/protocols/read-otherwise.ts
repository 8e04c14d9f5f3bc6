/**
 * Placeholder of a single byte, whatever it is there: a letter, or a blank (see `BLANKS_OF_SOME` of
 * MySQL).
 */
const LONE = '\ufffd'
/** Two that are one letter. */
const PAIR = '\u4e00'
/** Letters of two bytes whose second one may be that of a sign, by the ranges in which servers take them for such. */
const WAYS = [
  /[\x80-\xff]/g,
  // GBK, GB18030 and what is within them
  /[\x81-\xfe][\x40-\x7e\x80-\xfe]|[\x80-\xff]/g,
  // Big5
  /[\xa1-\xf9][\x40-\x7e\xa1-\xfe]|[\x80-\xff]/g,
  // Shift-JIS and its relatives
  /[\x81-\x9f\xe0-\xfc][\x40-\x7e\x80-\xfc]|[\x80-\xff]/g,
]
const NOT_ENGLISH = /[\x80-\xff]/

/**
 * Other readings of bytes whose encoding is not surely known: every byte for itself, as in UTF-8
 * and in all encodings of one byte a letter, and in pairs. It matters which quotes and backslashes
 * are signs, so the letters themselves are placeholders. Empty where all bytes are those of ASCII.
 */
export function readOtherwise(bytes: Buffer): string[] {
  const text = bytes.toString('latin1')
  if (!NOT_ENGLISH.test(text)) return []
  return [...new Set(WAYS.map((way) => text.replaceAll(way, ({ length }) => (length > 1 ? PAIR : LONE))))]
}
