import { isUtf8 } from 'node:buffer'

const PLAIN = /^[^\s\p{C}"'\\]+$/u
const PLAIN_ASCII = /^[!#-&(-[\]-~]+$/
/** Signs that stand with a backslash, as many as there are in a row: of a value of a megabyte all of them may be such. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
const ESCAPED = /["\\\x00-\x1f\x7f]+|[\p{C}\u2028\u2029]+/gu
const ESCAPED_BYTES = /["\\]+|[^ -~]+/g
const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\x07': '\\a' }
const LONG: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' }
/** By the byte that each is. */
const OF_BYTES = Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (character === '"' || character === '\\') return `\\${character}`
  return SHORT[character] ?? `\\x${code.toString(16).padStart(2, '0')}`
})

/**
 * A command as `redis-cli` shows it: arguments apart by blanks, in quotes with escapes where one is
 * no plain word. Text in UTF-8 stays readable.
 */
export function commandText(parts: readonly Buffer[]): string {
  return parts.map(argumentText).join(' ')
}

function argumentText(bytes: Buffer): string {
  if (!bytes.length) return '""'
  const ascii = bytes.toString('latin1')
  if (PLAIN_ASCII.test(ascii)) return ascii
  return isUtf8(bytes) && PLAIN.test(bytes.toString()) ? bytes.toString() : quotedText(bytes)
}

/** Bytes between quotes, with escapes. */
export function quotedText(bytes: Buffer): string {
  if (!isUtf8(bytes)) return `"${bytes.toString('latin1').replaceAll(ESCAPED_BYTES, escapedBytes)}"`
  return `"${bytes.toString().replaceAll(ESCAPED, escaped)}"`
}

/** Each is a byte. */
function escapedBytes(signs: string): string {
  let text = ''
  for (let at = 0; at < signs.length; at++) text += OF_BYTES[signs.charCodeAt(at)]
  return text
}

const escaped = (signs: string): string =>
  signs.charCodeAt(0) < 128 ? escapedBytes(signs) : escapedBytes(Buffer.from(signs).toString('latin1'))

/**
 * The same without quotes and escapes: what is in an argument as such, as a script of several
 * lines. Undefined where that is the same.
 */
export function plainText(shown: string): string | undefined {
  if (!shown.includes('"')) return undefined
  let text = ''
  let isQuoted = false
  /** Begin of the text that goes as it is. */
  let from = 0
  for (let at = 0; at < shown.length; at++) {
    const code = shown.charCodeAt(at)
    if (code !== QUOTE && !(code === BACKSLASH && isQuoted)) continue
    if (at > from) text += shown.slice(from, at)
    if (code === QUOTE) isQuoted = !isQuoted
    else {
      const sign = shown[++at] ?? ''
      const byte = sign === 'x' ? byteAt(shown, at + 1) : -1
      if (byte >= 0) at += 2
      text += byte < 0 ? (LONG[sign] ?? sign) : String.fromCharCode(byte)
    }
    from = at + 1
  }
  return text + shown.slice(from)
}

const [QUOTE, BACKSLASH] = ['"', '\\'].map((sign) => sign.charCodeAt(0))
const DIGITS = '0123456789abcdef'

/** Value of two hexadecimal digits; below 0 where they are none. */
function byteAt(text: string, at: number): number {
  const [high, low] = [text[at], text[at + 1]]
  if (high === undefined || low === undefined) return -1
  const [first, second] = [DIGITS.indexOf(high), DIGITS.indexOf(low)]
  return first < 0 || second < 0 ? -1 : 16 * first + second
}
