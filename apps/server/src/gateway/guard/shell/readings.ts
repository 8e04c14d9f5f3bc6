/**
 * Reading of a text by another shell than bash, in words that the parser of bash takes in the same
 * way.
 */
export interface OtherReading {
  text: string
  /** A quote of it stays open there: what is sent next is read as a part of it. */
  open: string | undefined
}

/** A text in pieces: each as it is, or in other words. */
interface Dialect {
  /** Without any of these, the shell reads a text as bash does. */
  differs: RegExp
  /** Quoted text and all else that is not looked into, what is read otherwise, and single characters. */
  token: RegExp
  translated(token: string): string
}

/** Begin of a word. */
const WORD = '(?<![^\\s;&|()<>`])'
const SINGLE = "'[^']*'?"
const DOUBLE = '"(?:\\\\[\\s\\S]|[^"\\\\])*"?'
const ESCAPED = '\\\\[\\s\\S]'
const COMMENT = `${WORD}#[^\\n]*`
const tokens = (...kinds: string[]) => new RegExp([...kinds, '[\\s\\S]'].join('|'), 'g')
const escapedQuotes = (text: string) => text.replaceAll("'", "'\\''")

/** At its prompt zsh knows no comments. */
const ZSH_PROMPT: Dialect = {
  differs: new RegExp(`${WORD}#`),
  token: tokens(ESCAPED, "\\$'(?:\\\\[\\s\\S]|[^'\\\\])*'?", SINGLE, DOUBLE, `${WORD}#`),
  translated: (token) => (token === '#' ? '\\#' : token),
}

/** For zsh and ksh: a command begins right behind an array, and in braces without blanks. */
const ZSH: Dialect = {
  differs: /=\([^()]*\)[^\s;&|)]|(?<![^\s;&|(])\{[^\s{},.]+\}/,
  token: tokens(
    ESCAPED,
    COMMENT,
    SINGLE,
    DOUBLE,
    '=\\([^()]*\\)(?=[^\\s;&|)])',
    '(?<![^\\s;&|(])\\{(?=[^\\s{},.]+\\})',
  ),
  translated: (token) => (token === '{' || token.startsWith('=(') ? `${token} ` : token),
}

/** No quotes behind a dollar, no `[[`, no arithmetic but in an expansion, and `&>` ends a command. */
const DASH: Dialect = {
  differs: /\$'|&>|\[\[|\(\(/,
  token: tokens(ESCAPED, COMMENT, "\\$(?=')", SINGLE, DOUBLE, '&(?=>)', `${WORD}\\[\\[`, '\\$\\(\\(', '\\((?=\\()'),
  translated: (token) => DASH_WORDS.get(token) ?? token,
}
const DASH_WORDS = new Map([
  ['$', '\\$'],
  ['&', '& '],
  ['[[', '\\[['],
  ['(', '( '],
])

/** All but bash: a single quote in an expansion within double quotes is a character like any other. */
const QUOTE_IN_EXPANSION: Dialect = {
  differs: /\$\{/,
  token: tokens(ESCAPED, COMMENT, SINGLE, DOUBLE),
  translated: (token) => (token.startsWith('"') ? token.replaceAll("'", "\\'") : token),
}

/** Escapes outside of quotes, and in single ones a backslash keeps a quote. */
const FISH: Dialect = {
  differs: /\\[xXuU0-7]|'[^']*\\/,
  token: tokens(
    '\\\\(?:[xX][0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3})',
    ESCAPED,
    COMMENT,
    "'(?:\\\\[\\s\\S]|[^'\\\\])*'?",
    DOUBLE,
  ),
  translated(token) {
    if (token.length > 2 && token.startsWith('\\')) return `'${escapedQuotes(characterOf(token.slice(1)))}'`
    if (token.length < 2 || !token.startsWith("'")) return token
    const isWhole = token.endsWith("'") && !/(?<!\\)(?:\\\\)*\\'$/.test(token)
    const text = token.slice(1, isWhole ? -1 : undefined).replace(/\\([\\'])/g, '$1')
    return `'${escapedQuotes(text)}${isWhole ? "'" : ''}`
  },
}

function characterOf(escaped: string): string {
  const code = /^[0-7]/.test(escaped) ? Number.parseInt(escaped, 8) : Number.parseInt(escaped.slice(1), 16)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

/** No backslash keeps a double quote. */
const CSH: Dialect = {
  differs: /"[^"]*\\"/,
  token: tokens(ESCAPED, COMMENT, SINGLE, '"[^"]*"?'),
  translated: (token) => (token.startsWith('"') ? token.replaceAll('\\', '\\\\') : token),
}

/** An open quote is an error to csh, which asks for no more of the line. */
const KEEP_OPEN: readonly Dialect[] = [ZSH_PROMPT, DASH, QUOTE_IN_EXPANSION, FISH]

/** Readings of a text by shells that do not read it as bash does. `isTyped`: at a prompt. */
export function otherReadings(text: string, isTyped: boolean): OtherReading[] {
  const dialects = [...(isTyped ? [ZSH_PROMPT] : []), ZSH, DASH, QUOTE_IN_EXPANSION, FISH, CSH]
  return dialects.flatMap((dialect) => readingIn(dialect, text) ?? [])
}

/** Quotes that were left open in some shell, where in bash none is. */
export class OpenQuotes {
  #open = new Map<Dialect, string>()

  /** The line within each quote that may be open. */
  with(line: string): string[] {
    return [...new Set(this.#open.values())].map((quote) => `: ${quote}${line}`)
  }

  /** The line was sent. */
  add(line: string): void {
    for (const dialect of KEEP_OPEN) {
      const quote = this.#open.get(dialect)
      const text = quote === undefined ? line : `${quote}${line}`
      // A quote that bash keeps open as well is known from the lines as they are.
      const open = quote === undefined ? readingIn(dialect, text)?.open : openQuote(text.match(dialect.token)?.at(-1))
      if (open === undefined) this.#open.delete(dialect)
      else this.#open.set(dialect, open)
    }
  }

  clear(): void {
    this.#open.clear()
  }
}

function readingIn(dialect: Dialect, text: string): OtherReading | undefined {
  if (!dialect.differs.test(text)) return undefined
  const pieces = text.match(dialect.token) ?? []
  const other = pieces.map((piece) => dialect.translated(piece)).join('')
  if (other === text) return undefined
  return { text: other, open: KEEP_OPEN.includes(dialect) ? openQuote(pieces.at(-1)) : undefined }
}

/** The quote that begins a token without its end. */
function openQuote(token = ''): string | undefined {
  const quote = token.replace(/^\$/, '')[0] ?? ''
  if (quote !== "'" && quote !== '"') return undefined
  const isOpen = token.length < 2 || !token.endsWith(quote) || /(?<!\\)(?:\\\\)*\\["']$/.test(token)
  return isOpen ? quote : undefined
}
