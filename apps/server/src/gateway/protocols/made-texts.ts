import { FILLER, MAX_DEPTH } from './search-limits.ts'
import { contentBehind } from './texts-behind.ts'

/** A text, which may be one of bytes (`x'…'`, `0x…`) or of bits (`b'…'`, `0b…`). */
const LITERAL = new RegExp(
  `(?:\\bu&|\\bn?q|\\b[exnb]|\\b_\\w+ ?)?(?:['"$\`]${FILLER}*)+|\\b0x[0-9a-f]+|\\b0b[01]+`,
  'iy',
)
const NUMBER = /-?\d+(?:\.\d+)?/y
const CALL = /(?:[\w$]+ ?\. ?)*([\w$]+) ?\(/y
const NAME = /[@:]*[\w$.#]+|[^\s]/y
/** Operators between two texts that are joined. */
const JOINS = /(?: |\|\||[+&.])*/y
/** Behind these an expression is over, or they say how its value is to be read. */
const ENDS = /(?:using|into|as|collate|from|for)\b/iy
/** Longer ones are not made. */
const MADE_MAX = 64 * 1024

/** Functions of MySQL, PostgreSQL, SQL Server and Oracle, with their results. */
const FUNCTIONS: Readonly<Record<string, (...values: string[]) => string>> = {
  concat_ws: (between = '', ...values) => values.join(between),
  char: (...codes) => ofCodes(codes),
  nchar: (...codes) => ofCodes(codes),
  chr: (...codes) => ofCodes(codes),
  unhex: ofHexadecimal,
  hextoraw: ofHexadecimal,
  from_base64: ofBase64,
  decode: (text = '', format = 'hex') => (/base64/i.test(format) ? ofBase64(text) : ofHexadecimal(text)),
  base64_decode: ofBase64,
  reverse: (text = '') => [...text].reverse().join(''),
  replace: (text = '', what = '', by = '') => (what ? text.replaceAll(what, () => by) : text),
  translate: (text = '', from = '', to = '') =>
    [...text].map((one) => (from.includes(one) ? (to[from.indexOf(one)] ?? '') : one)).join(''),
  lower: (text = '') => text.toLowerCase(),
  lcase: (text = '') => text.toLowerCase(),
  upper: (text = '') => text.toUpperCase(),
  ucase: (text = '') => text.toUpperCase(),
  trim: (text = '') => text.trim(),
  substring: part,
  substr: part,
  mid: part,
  left: (text = '', count = '0') => text.slice(0, Number(count)),
  right: (text = '', count = '0') => (Number(count) > 0 ? text.slice(-Number(count)) : ''),
  insert: (text = '', from = '1', count = '0', by = '') =>
    text.slice(0, Number(from) - 1) + by + text.slice(Number(from) - 1 + Number(count)),
  stuff: (text = '', from = '1', count = '0', by = '') =>
    text.slice(0, Number(from) - 1) + by + text.slice(Number(from) - 1 + Number(count)),
  repeat: (text = '', count = '0') => text.repeat(Math.min(Number(count) || 0, 1024)),
  replicate: (text = '', count = '0') => text.repeat(Math.min(Number(count) || 0, 1024)),
  space: (count = '0') => ' '.repeat(Math.min(Number(count) || 0, 1024)),
  elt: (at = '1', ...values) => values[Number(at) - 1] ?? '',
  choose: (at = '1', ...values) => values[Number(at) - 1] ?? '',
  if: (_ = '', ...values) => values[0] ?? '',
  iif: (_ = '', ...values) => values[0] ?? '',
  quote: (text = '') => text,
  convert_from: (text = '') => text,
  format: (text = '', ...values) =>
    text.replace(/%(?:(\d+)\$)?[sIL]/g, (_, at) => (at ? values[at - 1] : values.shift()) ?? ''),
}

/** The same in SQL Server's order: `CONVERT(type, value)`. */
const LAST_ARGUMENT = new Set(['convert'])

function ofCodes(codes: readonly string[]): string {
  return codes
    .map((code) => Number(code))
    .map((code) =>
      code >= 256 && code <= 0x10ffff ? bytesOf(code) : code >= 0 && code < 256 ? String.fromCharCode(code) : '',
    )
    .join('')
}

/** A number of several bytes is as many characters (`CHAR(0x4452)`). */
const bytesOf = (code: number): string => Buffer.from(code.toString(16).padStart(2, '0'), 'hex').toString('latin1')

function ofHexadecimal(text = ''): string {
  return Buffer.from(text.replace(/^\\?x|\s/g, ''), 'hex').toString()
}

function ofBase64(text = ''): string {
  return Buffer.from(text, 'base64').toString()
}

function part(text = '', from = '1', count?: string): string {
  const at = Number(from) > 0 ? Number(from) - 1 : Math.max(0, text.length + Number(from))
  return text.slice(at, count === undefined ? undefined : at + Number(count))
}

/**
 * Value of an expression whose functions and texts determine it, such as `REVERSE('t ELBAT PORD')`;
 * a value that only the database knows is nothing. `bare`: the text with what is quoted in it
 * filled up. Undefined where it is no more than its texts in a row.
 */
export function madeBehind(text: string, bare: string, from: number): string | undefined {
  const reader = new Reader(text, bare, from)
  const made = reader.expression(0)
  return reader.isMade && made ? made.slice(0, MADE_MAX) : undefined
}

class Reader {
  /** A function had a part in it. */
  isMade = false
  readonly #text: string
  readonly #bare: string
  #at: number

  constructor(text: string, bare: string, from: number) {
    this.#text = text
    this.#bare = bare
    this.#at = from
  }

  /** Up to a comma, a bracket or the end that is not within. */
  expression(depth: number): string {
    let made = ''
    for (;;) {
      this.#take(JOINS)
      const sign = this.#bare[this.#at]
      if (sign === undefined || sign === ',' || sign === ')' || sign === ';') return made
      // How a value is to be read is said behind it: `CHAR(68 USING utf8mb4)`.
      if (made && this.#take(ENDS)) {
        this.#skip()
        return made
      }
      const more = this.#operand(depth)
      if (made.length + more.length > MADE_MAX) return made
      made += more
    }
  }

  #operand(depth: number): string {
    const from = this.#at
    if (this.#take(LITERAL)) return this.#literal(from)
    const number = this.#take(NUMBER)
    if (number) return number[0]
    const call = this.#take(CALL)
    if (call) return this.#called((call[1] as string).toLowerCase(), depth)
    if (this.#bare[from] === '(') {
      this.#at++
      return this.#arguments(depth).join('')
    }
    if (!this.#take(NAME)) this.#at++
    return ''
  }

  #called(name: string, depth: number): string {
    const values = this.#arguments(depth)
    const make = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined
    if (make) this.isMade = true
    if (make) return make(...values)
    if (LAST_ARGUMENT.has(name) && values.length > 1) return values[1] || (values[0] ?? '')
    return values.join('')
  }

  #arguments(depth: number): string[] {
    const values: string[] = []
    if (depth > 4 * MAX_DEPTH) {
      this.#at = this.#bare.length
      return values
    }
    for (;;) {
      values.push(this.expression(depth + 1))
      const sign = this.#bare[this.#at++]
      if (sign !== ',') return values
    }
  }

  #literal(from: number): string {
    const [text, bare] = [this.#text, this.#bare].map((one) => one.slice(from, this.#at)) as [string, string]
    const bits = /^(?:b'|0b)([01]+)/i.exec(text)?.[1]
    if (bits === undefined) return contentBehind(text, bare, 0)
    this.isMade = true
    const bytes = bits.padStart(Math.ceil(bits.length / 8) * 8, '0').match(/.{8}/g) ?? []
    return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))).toString()
  }

  /** Skips the rest of this argument. */
  #skip(): void {
    let depth = 0
    for (; this.#at < this.#bare.length; this.#at++) {
      const sign = this.#bare[this.#at]
      if (sign === '(') depth++
      else if (sign === ')' && depth-- === 0) return
      else if ((sign === ',' || sign === ';') && depth === 0) return
    }
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at
    const found = expression.exec(this.#bare)
    if (found) this.#at = expression.lastIndex
    return found
  }
}
