import { createHash } from 'node:crypto'

/**
 * Encodings in which spreadsheet programs save CSV, besides those of Unicode, by their names in the
 * Encoding Standard; whom each is for.
 */
export const ENCODINGS = {
  gb18030: 'Simplified Chinese (GBK, GB 18030)',
  big5: 'Traditional Chinese (Big5)',
  shift_jis: 'Japanese (Shift JIS)',
  'euc-jp': 'Japanese (EUC-JP)',
  'euc-kr': 'Korean (EUC-KR)',
  'windows-1252': 'Western European (Windows-1252)',
  'windows-1250': 'Central European (Windows-1250)',
  'windows-1251': 'Cyrillic (Windows-1251)',
  'windows-1253': 'Greek (Windows-1253)',
  'windows-1254': 'Turkish (Windows-1254)',
  macintosh: 'Western European (Macintosh)',
} as const
export type Encoding = keyof typeof ENCODINGS

/** How a file may be read, with what it says then. */
export interface Reading {
  encoding: Encoding
  titles: string[]
  /** The first lines with letters beyond ASCII, cut to what shows them. */
  sample: string[]
}

export type Delimiter = ',' | '\t' | ';'
const DELIMITERS: readonly Delimiter[] = [',', '\t', ';']
/** What Excel writes before all rows where the delimiter is not that of the country. */
const SEPARATOR = /^"?sep=([,;\t])"?\r?(?:\n|$)/i
/** Limit of the line of titles, and of the search of a file for zero bytes. */
const LOOKED_AT = 64 * 1024
const SAMPLE_LINES = 3
const SAMPLE_LENGTH = 60

/** What no text has: characters of control, those of nobody, and what a decoder did not know. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NO_TEXT = /[\0-\x08\x0e-\x1f\x7f-\x9f\ufffd\ufffe\uffff]|\p{Co}/u

/**
 * The text of a CSV file: of Unicode where it is that, or in the wanted encoding. Anything else could
 * be one of several, whose readings are answered instead. Throws where no text comes of it.
 */
export function readText(file: Buffer, wanted: Encoding | undefined): string | Reading[] {
  const unicode = unicodeOf(file)
  if (unicode !== undefined) return unicode
  if (wanted) return new TextDecoder(wanted, { fatal: true }).decode(file)
  const texts = new Set<string>()
  const readings = (Object.keys(ENCODINGS) as Encoding[]).flatMap((encoding) => {
    const text = decoded(file, encoding)
    if (text === undefined || NO_TEXT.test(text)) return []
    // Several of them may have the same letters at the bytes of this file.
    const sum = createHash('sha1').update(text).digest('base64')
    if (texts.has(sum)) return []
    texts.add(sum)
    return [{ encoding, titles: titlesOf(text), sample: sampleOf(text) }]
  })
  if (!readings.length) throw new Error('no text in any encoding')
  return readings
}

/** Undefined for what is no Unicode. */
function unicodeOf(file: Buffer): string | undefined {
  const encoding = utf16Of(file)
  return decoded(file, encoding ?? 'utf-8')
}

/** By its mark, or by its bytes of zero, which no other text has: each letter of ASCII has one. */
function utf16Of(file: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = file
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  let [even, odd] = [0, 0]
  for (const [at, byte] of file.subarray(0, LOOKED_AT).entries())
    if (byte === 0 && at % 2) odd++
    else if (byte === 0) even++
  return even === odd ? undefined : odd > even ? 'utf-16le' : 'utf-16be'
}

function decoded(file: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(file)
  } catch {
    return undefined
  }
}

/**
 * The delimiter of a text, and the text without a line that only names it: the one of comma, tab
 * and semicolon that the line of titles has most of.
 */
export function delimited(text: string): { delimiter: Delimiter; rows: string } {
  const named = SEPARATOR.exec(text)
  if (named) return { delimiter: named[1] as Delimiter, rows: text.slice(named[0].length) }
  const titles = firstLine(text).replace(/"[^"]*"/g, '')
  const count = (delimiter: Delimiter) => titles.split(delimiter).length
  const delimiter = DELIMITERS.reduce((most, one) => (count(one) > count(most) ? one : most))
  return { delimiter, rows: text }
}

const firstLine = (text: string) => /[^\r\n]*/.exec(text.slice(0, LOOKED_AT).trimStart())?.[0] ?? ''

function titlesOf(text: string): string[] {
  const { delimiter, rows } = delimited(text)
  return firstLine(rows)
    .split(delimiter)
    .map((title) => title.trim().replace(/^"(.*)"$/, '$1'))
}

function sampleOf(text: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin ASCII
  const beyond = /[^\x00-\x7f]/g
  const sample: string[] = []
  for (let found = beyond.exec(text); found && sample.length < SAMPLE_LINES; found = beyond.exec(text)) {
    const before = text.slice(Math.max(found.index - SAMPLE_LENGTH / 2, 0), found.index)
    const after = text.slice(found.index, found.index + SAMPLE_LENGTH / 2)
    sample.push(`${before.split(/[\r\n]/).at(-1)}${after.split(/[\r\n]/, 1)[0]}`.toWellFormed())
    const end = text.indexOf('\n', found.index)
    beyond.lastIndex = end < 0 ? text.length : end
  }
  return sample
}
