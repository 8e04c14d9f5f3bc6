import { statementsIn } from '../statements-in.ts'
import { mayRunOthers, type ReadStatements, statementsWithin } from '../statements-within.ts'

/** A quoted text goes on behind a line end, as what it was: that of E'' with its backslashes, whatever others mean by them. */
const ONWARD = /'[ \t\f\v]*(?:--[^\r\n]*)?[\r\n](?:[ \t-\r]|--[^\r\n]*[\r\n])*'/.source
const ESCAPED = String.raw`[eE]'(?:[^'\\]|\\[\s\S]|''|${ONWARD})*'?`
const DOLLARS = /\$([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/.source
const NO_NAME = /(?<![\w$\u0080-\uffff])/.source
/**
 * Text that is no comment: a quoted text or name (in E'' a backslash keeps a quote from ending it),
 * a text between dollars, or anything else. An `e` or a `$` within a name begins none.
 */
const QUOTED = new RegExp(`${NO_NAME}(?:${ESCAPED}|${DOLLARS})|'[^']*'?|"[^"]*"?`, 'y')
/** The same after `SET standard_conforming_strings = off`: a backslash does so in all texts but those of bits. */
const QUOTED_WITH_ESCAPES = new RegExp(
  String.raw`${NO_NAME}(?:${ESCAPED}|${DOLLARS})|(?<=${NO_NAME}[bBxX])'(?:[^']|''|${ONWARD})*'?|'(?:[^'\\]|\\[\s\S]|'')*'?|"[^"]*"?`,
  'y',
)
/** Whether it matters. */
const ESCAPED_QUOTE = /\\'/
/** Marks mean something only where a comment or a text begins with them. */
const PLAIN = /(?:[^'"$\-/eE]+|-(?!-)|\/(?!\*)|[eE](?!')|(?<=[\w$\u0080-\uffff])[eE$])+/y
/** A blank of another kind is a letter of a name. */
const BLANKS = /[ \t-\r]+/g
const LINE = /--[^\r\n]*/y
const MARK = /\/\*|\*\//g
/** Without any of these a text is one statement, and read as it was sent. */
const READ_OTHERWISE = /['"$\-/;\t-\r]| {2}|^ | $/

const NONE: readonly string[] = []

/**
 * A statement as the server reads it: comments, which may stand within each other, are blanks, and
 * blanks between words are one. A rule about `drop table` finds it so.
 * Undefined when that is what was sent.
 */
export function withoutComments(text: string, isQuoted = QUOTED): string | undefined {
  let seen = ''
  for (let at = 0; at < text.length; ) {
    const plain = matchAt(PLAIN, text, at)?.[0]
    if (plain) {
      seen += plain.replaceAll(BLANKS, ' ')
      at += plain.length
      continue
    }
    const comment = commentAt(text, at)
    if (comment > at) {
      seen += ' '
      at = comment
      continue
    }
    const end = quotedAt(text, at, isQuoted)
    if (end > at) {
      seen += text.slice(at, end)
      at = end
      continue
    }
    seen += text[at]
    at++
  }
  const read = seen.replaceAll(/ {2,}/g, ' ').trim()
  return read === text ? undefined : read
}

/**
 * Other readings of a statement by the server: without comments, each of several alone, and those
 * that are run by others. The meaning of a backslash is a setting of the connection, which the
 * author of the statements may change: it is read both ways. Undefined when there are more than are
 * looked at.
 */
export function readStatement(text: string): readonly string[] | undefined {
  const alone = plainOf(text)
  if (alone !== undefined && !mayRunOthers(alone)) return alone === text ? NONE : [alone]
  const ways = ESCAPED_QUOTE.test(text) ? [QUOTED, QUOTED_WITH_ESCAPES] : [QUOTED]
  const found = new Set<string>()
  for (const isQuoted of ways) {
    const read = statementsOf(text, isQuoted)
    const within = statementsWithin(read.alone, {
      endOfQuoted: (one, at) => quotedAt(one, at, isQuoted),
      statementsOf: (one) => statementsOf(one, isQuoted),
    })
    if (!within) return undefined
    for (const one of [...read.texts, ...within]) found.add(one)
  }
  found.delete(text)
  return [...found]
}

/**
 * The only statement of a text that has neither quotes nor comments; undefined of any other. Most clients end it by a
 * semicolon, without which it is read as it was sent.
 */
function plainOf(text: string): string | undefined {
  const alone = text.endsWith(';') ? text.slice(0, -1) : text
  return (alone || !text) && !READ_OTHERWISE.test(alone) ? alone : undefined
}

function statementsOf(text: string, isQuoted: RegExp): ReadStatements {
  const alone = plainOf(text)
  if (alone !== undefined) return { texts: [text, alone], alone: [alone] }
  const read = withoutComments(text, isQuoted) ?? text
  const several = statementsIn(read, (within, at) => quotedAt(within, at, isQuoted))
  return { texts: [read, ...several], alone: several.length ? several : [read] }
}

/** End of the comment that begins here; `at` where none does. */
function commentAt(text: string, at: number): number {
  const line = matchAt(LINE, text, at)
  if (line) return at + line[0].length
  if (!text.startsWith('/*', at)) return at
  MARK.lastIndex = at
  for (let depth = 0; ; ) {
    const mark = MARK.exec(text)
    if (!mark) return text.length
    depth += mark[0] === '/*' ? 1 : -1
    if (!depth) return MARK.lastIndex
  }
}

/** Likewise of what is quoted. */
function quotedAt(text: string, at: number, isQuoted: RegExp): number {
  const quoted = matchAt(isQuoted, text, at)
  if (!quoted) return at
  const [found] = quoted
  if (!found.startsWith('$')) return at + found.length
  const end = text.indexOf(found, at + found.length)
  return end < 0 ? text.length : end + found.length
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at
  return expression.exec(text)
}
