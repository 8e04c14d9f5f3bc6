/** Words behind an expression of a text. */
const VALUES = / (?:using|into) /i
/** Quoted text, where that is a filler, or a text by its bytes: `0x…`, or behind an `x`. */
const LITERAL = /\b0x(?<hex>(?:[0-9a-f]{2})+)\b|[eE]?['"`$]\ue000*/gi
const HEXADECIMAL = /\bx$/i
const BY_UNICODE = /\bu&$/i
/** Oracle's `q'[…]'`, with marks of its own. */
const MARKED = /\bn?q$/i

/** Texts of an expression, one behind the other: operators between them are not looked at. */
export function contentBehind(text: string, bare: string, from: number): string {
  const values = bare.slice(from).search(VALUES)
  const to = values < 0 ? bare.length : from + values
  let content = ''
  let last = from
  for (const { index, 0: found, groups } of bare.slice(from, to).matchAll(LITERAL)) {
    const at = from + index
    const end = at + found.length
    // Two quotes within one are such a quote: whatever found the end of the text took it for two.
    const isOnward = at === last && at > from && text[at] === text[at - 1]
    if (isOnward) content += text[at]
    const literal = text.slice(at, end)
    const own =
      groups?.hex ?? unquoted(BY_UNICODE.test(bare.slice(Math.max(0, at - 3), at)) ? byUnicode(literal) : literal)
    const isByBytes = groups?.hex !== undefined || HEXADECIMAL.test(bare.slice(Math.max(0, at - 2), at))
    const isMarked = MARKED.test(bare.slice(Math.max(0, at - 3), at))
    content += isByBytes ? textOf(own) : isMarked ? own.slice(1, -1) : own
    last = end
  }
  return content
}

const textOf = (hex: string): string => Buffer.from(hex, 'hex').toString()

function unquoted(quoted: string): string {
  if (quoted.startsWith('$')) {
    const mark = quoted.slice(0, quoted.indexOf('$', 1) + 1)
    return quoted.slice(mark.length, quoted.endsWith(mark) ? -mark.length : undefined)
  }
  const at = quoted.search(/['"`]/)
  const quote = quoted[at] ?? ''
  const inner = quoted.slice(at + 1, quoted.endsWith(quote) ? -1 : undefined).replaceAll(quote + quote, quote)
  return at > 0 ? inner.replaceAll(ESCAPED, escaped) : inner.replaceAll(/\\([\s\S])/g, (_, sign) => SIGNS[sign] ?? sign)
}

/** As texts of PostgreSQL have it that begin with an `E`. */
const ESCAPED = /\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([0-7]{1,3})|([\s\S]))/gi

function escaped(_: string, ...found: (string | undefined)[]): string {
  const [byte, short, long, octal, sign = ''] = found
  const hex = byte ?? short ?? long
  if (hex === undefined && octal === undefined) return SIGNS[sign] ?? sign
  return characterOf(hex === undefined ? Number.parseInt(octal as string, 8) : Number.parseInt(hex, 16))
}

/** In a text that begins with `U&`. */
const byUnicode = (text: string): string =>
  text.replaceAll(/\\(?:\+([0-9a-f]{6})|([0-9a-f]{4}))/gi, (_, long?: string, short?: string) =>
    characterOf(Number.parseInt(long ?? short ?? '', 16)),
  )

const characterOf = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '')

const SIGNS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }
