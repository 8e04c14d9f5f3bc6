import { eachStatement } from '../../guard/each-statement.ts'
import { mayRunOthers, type ReadStatements, statementsWithin } from '../statements-within.ts'

/** Text that is no comment; a backslash keeps a quote from ending. */
const QUOTED = /'(?:[^'\\]|\\[\s\S]|'')*'?|"(?:[^"\\]|\\[\s\S]|"")*"?|`[^`]*`?/y
/** The same under the modes ANSI_QUOTES, where double quotes are those of names, and NO_BACKSLASH_ESCAPES. */
const QUOTED_IN_MODES = [/'(?:[^'\\]|\\[\s\S]|'')*'?|"[^"]*"?|`[^`]*`?/y, /'[^']*'?|"[^"]*"?|`[^`]*`?/y]
/** Whether the mode matters. */
const ESCAPED_QUOTE = /\\['"]/
/** Marks mean something only where a comment begins or ends with them, a semicolon where a statement ends. */
const PLAIN = /(?:[^'"`#\-/*;]+|-(?!-(?:[^!-~\u0080-\uffff]|$))|\/(?!\*)|\*(?!\/))+/y
/** Two hyphens need a blank or a control character behind them to be a comment. */
const LINE = /#[^\n]*|--(?=[^!-~\u0080-\uffff]|$)[^\n]*/y
const BLANKS = /[ \t-\r\0]+/g
/**
 * Blanks and control characters where a client writes in one byte a character, and what is no letter in the encoding
 * that is known of it; elsewhere letters of names.
 */
const BLANKS_OF_SOME = /[\u0080-\u00a0\ufffd]/g
/** MySQL's own, and MariaDB's, with the version from which on it is run. */
const EXECUTABLE = /\/\*(M?)!(\d{5,6})?/y

const MARKED = /\/\*M?!/
/** Without any of these a text is one statement, and read as it was sent. */
const READ_OTHERWISE = /['"`#\-/;\t-\r\0\u0080-\u00a0\ufffd]| {2}|^ | $/

const NONE: readonly string[] = []

/** As a server says: `8.0.36`, `5.5.5-10.11.19-MariaDB`. */
export interface ServerVersion {
  isMariaDb: boolean
  /** `80036`, `101119`. */
  number: number
}

export function readVersion(version: string): ServerVersion {
  const isMariaDb = /mariadb/i.test(version)
  const [, major = '0', minor = '0', patch = '0'] = /^(\d+)\.(\d+)\.(\d+)/.exec(version.replace(/^5\.5\.5-/, '')) ?? []
  return { isMariaDb, number: Number(major) * 10_000 + Number(minor) * 100 + Number(patch) }
}

/** How a server may read a text. */
interface Way {
  isQuoted: RegExp
  isRun: (mark: Mark) => boolean
  /** As it is written, or with other blanks, as long. */
  text: string
}

/**
 * A statement as the server reads it: comments are blanks, blanks between words are one, and text in
 * comments that are run (`/*!50003 … *\/`) is there without them. Which of them run depends on the
 * server's version: once as this one reads them, and once as if all were run. Which characters are
 * blanks depends on how its client writes. The meaning of a backslash depends on the mode of the
 * connection, which the author of the statements may change: they are read in each. Each of several
 * statements alone as well, without its semicolon, and those that they run. Empty when that is the
 * statement as sent; undefined when there is more than is looked at.
 */
export function readStatement(statement: string, version: ServerVersion | undefined): readonly string[] | undefined {
  if (!READ_OTHERWISE.test(statement) && !mayRunOthers(statement)) return NONE
  const all = statementsOf(statement, version)
  if (!all) return undefined
  const found = new Set(all.texts)
  for (const isQuoted of modesOf(statement)) {
    const within = statementsWithin(all.alone, {
      endOfQuoted: (text, at) => at + (matchAt(isQuoted, text, at)?.[0].length ?? 0),
      statementsOf: (text) => statementsOf(text, version),
    })
    if (!within) return undefined
    for (const one of within) found.add(one)
  }
  found.delete(statement)
  return [...found]
}

/** Undefined as above. */
function statementsOf(statement: string, version: ServerVersion | undefined): ReadStatements | undefined {
  if (!READ_OTHERWISE.test(statement)) return { texts: [statement], alone: [statement] }
  const ways = waysOf(statement, version)
  const found = new Set(ways.map((way) => read(way, 0, false).text))
  const alone = new Set<string>()
  const isWhole = eachStatement(statement.length, ways, (way, from) => {
    const { text, end } = read(way, from, true)
    if (text) alone.add(text)
    return end
  })
  return isWhole ? { texts: [...new Set([...found, ...alone])], alone: [...alone] } : undefined
}

function waysOf(statement: string, version: ServerVersion | undefined): Way[] {
  const all = { isRun: () => true, text: statement }
  const exact = version && MARKED.test(statement) ? [{ ...all, isRun: (mark: Mark) => runs(mark, version) }] : []
  const blank = statement.replaceAll(BLANKS_OF_SOME, ' ')
  const ways = [...exact, all, ...(blank === statement ? [] : [{ ...all, text: blank }])]
  return modesOf(statement).flatMap((isQuoted) => ways.map((way) => ({ ...way, isQuoted })))
}

const modesOf = (statement: string): RegExp[] =>
  ESCAPED_QUOTE.test(statement) ? [QUOTED, ...QUOTED_IN_MODES] : [QUOTED]

interface Mark {
  isOfMariaDb: boolean
  number: number | undefined
}

/** https://mariadb.com/kb/en/comment-syntax/#executable-comment-syntax */
function runs({ isOfMariaDb, number = 0 }: Mark, version: ServerVersion): boolean {
  if (!version.isMariaDb) return !isOfMariaDb && number <= version.number
  if (!isOfMariaDb && number >= 50_700 && number <= 99_999) return false
  return number <= version.number
}

/**
 * Reads from there to the end, or, `isAlone`, to that of its statement; returns the text and where
 * it ends.
 */
function read(
  { text: statement, isRun, isQuoted }: Way,
  from: number,
  isAlone: boolean,
): { text: string; end: number } {
  let seen = ''
  /** How many comments that are run we are in. */
  let depth = 0
  let at = from
  while (at < statement.length && !(isAlone && statement[at] === ';')) {
    const plain = matchAt(PLAIN, statement, at)?.[0]
    if (plain) {
      seen += plain.replaceAll(BLANKS, ' ')
      at += plain.length
      continue
    }
    const quoted = matchAt(isQuoted, statement, at)?.[0]
    if (quoted) {
      seen += quoted
      at += quoted.length
      continue
    }
    const executable = statement[at] === '/' && matchAt(EXECUTABLE, statement, at)
    if (executable) {
      const [mark, maria, number] = executable
      if (isRun({ isOfMariaDb: maria !== '', number: number === undefined ? undefined : Number(number) })) {
        depth++
        at += mark.length
      } else at = endOfSkipped(statement, at + mark.length)
      seen += ' '
    } else if (statement[at] === '*' && depth) {
      depth--
      seen += ' '
      at += 2
    } else if (statement[at] === '*' || statement[at] === ';') {
      seen += statement[at]
      at++
    } else {
      seen += ' '
      at = endOfComment(statement, at)
    }
  }
  return { text: seen.replaceAll(/ {2,}/g, ' ').trim(), end: at }
}

/** End of the comment that begins here. */
function endOfComment(statement: string, at: number): number {
  const line = matchAt(LINE, statement, at)
  return line ? at + line[0].length : endOfMarks(statement, at + 2)
}

/** End of a comment that is not run, in which further comments may be. */
function endOfSkipped(statement: string, from: number): number {
  let at = from
  for (;;) {
    const end = endOfMarks(statement, at)
    const inner = statement.indexOf('/*', at)
    if (inner < 0 || inner > end - 2) return end
    at = endOfMarks(statement, inner + 2)
    if (at === statement.length) return at
  }
}

function endOfMarks(statement: string, from: number): number {
  const end = statement.indexOf('*/', from)
  return end < 0 ? statement.length : end + 2
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at
  return expression.exec(text)
}
