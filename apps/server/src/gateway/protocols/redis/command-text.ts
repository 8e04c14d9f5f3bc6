import { isUtf8 } from 'node:buffer'

const PLAIN = /^[^\s\p{C}"'\\]+$/u
const PLAIN_ASCII = /^[!#-&(-[\]-~]+$/
const ESCAPED = /["\\\p{C}\u2028\u2029]/gu
const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\x07': '\\a' }
const LONG: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' }

/**
 * A command as `redis-cli` shows it: arguments apart by blanks, in quotes with escapes where one is
 * no plain word. Text in UTF-8 stays readable.
 */
export function commandText(parts: readonly Buffer[]): string {
  return parts.map(argumentText).join(' ')
}

function argumentText(bytes: Buffer): string {
  const ascii = bytes.toString('latin1')
  if (PLAIN_ASCII.test(ascii)) return ascii
  return isUtf8(bytes) && PLAIN.test(bytes.toString()) ? bytes.toString() : quotedText(bytes)
}

/** Bytes between quotes, with escapes. */
export function quotedText(bytes: Buffer): string {
  if (!isUtf8(bytes)) return `"${bytes.toString('latin1').replaceAll(/["\\]|[^ -~]/g, escaped)}"`
  return `"${bytes.toString().replaceAll(ESCAPED, escaped)}"`
}

function escaped(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`
  const code = character.charCodeAt(0)
  const hexadecimal = (bytes: Iterable<number>) =>
    Array.from(bytes, (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  return (
    SHORT[character] ??
    (code < 256 && character.length === 1 ? hexadecimal([code]) : hexadecimal(Buffer.from(character)))
  )
}

/**
 * The same without quotes and escapes: what is in an argument as such, as a script of several
 * lines. Undefined where that is the same.
 */
export function plainText(shown: string): string | undefined {
  if (!shown.includes('"')) return undefined
  return shown.replaceAll(/"((?:[^"\\]|\\[\s\S])*)"/g, (_, inside: string) =>
    inside.replaceAll(/\\(?:x([0-9a-f]{2})|([\s\S]))/g, (__, code: string | undefined, other: string) =>
      code ? String.fromCharCode(Number.parseInt(code, 16)) : (LONG[other] ?? other),
    ),
  )
}
