/** Lays out SQL again, and changes nothing but blanks. Loaded when somebody asks for it. */
import { MySQL, PostgreSQL } from '@codemirror/lang-sql'
import { formatDialect, mariadb, mysql, postgresql } from 'sql-formatter'

const DIALECTS = {
  // MariaDB's takes MySQL's `->` apart, and knows words that MySQL's does not.
  mysql: { layouts: [mysql, mariadb], grammar: MySQL },
  postgresql: { layouts: [postgresql], grammar: PostgreSQL },
} as const

export type SqlDialectName = keyof typeof DIALECTS

/** Longer ones would hold the page up for seconds. */
export const FORMATTED_MAX = 50_000

/** Statements as the database reads them; undefined where no layout is found that leaves them what they are. */
export function formatSql(text: string, dialect: SqlDialectName): string | undefined {
  const meaning = meaningOf(text, dialect)
  for (const layout of DIALECTS[dialect].layouts) {
    try {
      const formatted = formatDialect(text, { dialect: layout, keywordCase: 'preserve', expressionWidth: 80 })
      if (isSame(meaning, meaningOf(formatted, dialect))) return formatted
    } catch {
      // It is no SQL that the library can read.
    }
  }
  return undefined
}

/** Where a place of a text is in another one that differs in blanks alone. */
export function placeAfter(text: string, at: number, formatted: string): number {
  let left = text.slice(0, at).replace(/\s/g, '').length
  let place = 0
  for (; left > 0 && place < formatted.length; place++) if (!/\s/.test(formatted[place] as string)) left--
  return place
}

interface Token {
  kind: string
  text: string
  /** Text before it. */
  gap: string
}

/** The text without its blanks, except where those mean something. */
function meaningOf(text: string, dialect: SqlDialectName): string[] {
  const found: string[] = []
  let before: Token | undefined
  for (const token of tokensOf(text, dialect)) {
    found.push(blankOf(token, before, dialect) + token.text)
    before = token
  }
  return found
}

function* tokensOf(text: string, dialect: SqlDialectName): Generator<Token> {
  const leaves: { kind: string; from: number; to: number }[] = []
  DIALECTS[dialect].grammar.language.parser.parse(text).iterate({
    enter({ name: kind, from, to, node }) {
      if (!node.firstChild && from < to) leaves.push({ kind, from, to })
    },
  })
  let end = 0
  for (const { kind, from, to } of leaves) {
    const own = text.slice(from, to)
    const gap = text.slice(end, from)
    end = to
    if (kind === 'Operator')
      for (const [at, one] of operatorsOf(own, dialect).entries()) yield { kind, text: one, gap: at ? '' : gap }
    // The rows of a comment move with what they are beside; the text for the server stays as it is.
    else if (kind.endsWith('Comment') && !/^\/\*(?:M?!|\+)/.test(own))
      yield { kind, text: own.replace(/\s+/g, ' ').trim(), gap }
    else yield { kind, text: own, gap }
  }
}

const MYSQL_OPERATOR = /<=>|->>|->|<<|>>|<=|>=|<>|!=|:=|\|\||&&|./gs

/** Operators that stand side by side, as the server tells them apart (PostgreSQL §4.1.3). */
function operatorsOf(text: string, dialect: SqlDialectName): string[] {
  if (dialect === 'mysql') return text.match(MYSQL_OPERATOR) ?? []
  if (/[~!@#%^&|`?]/.test(text)) return [text]
  const [, first = '', signs = ''] = /^([\s\S]+?)([+-]*)$/.exec(text) ?? []
  return [first, ...signs]
}

const isQuoted = ({ text }: Token) => /['"`]/.test(text)
const isWord = ({ text }: Token) => /[\w\u0080-\uffff]$/.test(text)
/** MySQL's, which are functions only where their bracket follows at once (manual §9.2.5). */
const MYSQL_FUNCTION =
  /^(?:adddate|bit_(?:and|or|xor)|cast|count|cur(?:date|time)|date_(?:add|sub)|extract|group_concat|max|mid|min|now|position|(?:session|system)_user|std(?:dev(?:_pop|_samp)?)?|sub(?:date|str(?:ing)?)|sum|sysdate|trim|var(?:iance|_pop|_samp))$/i

/** Between words and quotes, two quotes, a number and its point, and such a function and its bracket. */
function blankOf(token: Token, before: Token | undefined, dialect: SqlDialectName): string {
  if (!before) return ''
  const isGlued = token.gap === '' ? '' : ' '
  if (isQuoted(token) && isQuoted(before)) return token.gap.includes('\n') ? '\n' : isGlued
  if (isQuoted(token) && (isWord(before) || before.text.endsWith('&'))) return isGlued
  if (isQuoted(before) && isWord(token)) return isGlued
  if ((token.text === '.' && /^\d/.test(before.text)) || (before.text === '.' && /^\d/.test(token.text))) return isGlued
  if (dialect === 'mysql' && token.text === '(' && MYSQL_FUNCTION.test(before.text)) return isGlued
  return ''
}

const isSame = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((token, at) => token === other[at])
