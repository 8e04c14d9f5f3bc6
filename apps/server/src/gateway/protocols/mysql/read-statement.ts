import { statementsIn } from '../statements-in.ts'

/** What is no comment; a backslash keeps a quote from ending. */
const QUOTED = /'(?:[^'\\]|\\[\s\S]|'')*'?|"(?:[^"\\]|\\[\s\S]|"")*"?|`[^`]*`?/y
/** The same under the modes ANSI_QUOTES, where double quotes are those of names, and NO_BACKSLASH_ESCAPES. */
const QUOTED_IN_MODES = [/'(?:[^'\\]|\\[\s\S]|'')*'?|"[^"]*"?|`[^`]*`?/y, /'[^']*'?|"[^"]*"?|`[^`]*`?/y]
/** Whether the mode matters. */
const ESCAPED_QUOTE = /\\['"]/
/** Marks mean something only where a comment begins or ends with them. */
const PLAIN = /(?:[^'"`#\-/*]+|-(?!-(?:[^!-~\u0080-\uffff]|$))|\/(?!\*)|\*(?!\/))+/y
/** Two hyphens need a blank or a control character behind them to be a comment. */
const LINE = /#[^\n]*|--(?=[^!-~\u0080-\uffff]|$)[^\n]*/y
const BLANKS = /[ \t-\r\0]+/g
/** Blanks and control characters where a client writes in one byte a character; elsewhere letters of names. */
const BLANKS_OF_SOME = /[\u0080-\u00a0]/g
/** MySQL's own, and MariaDB's, with the version from which on it is run. */
const EXECUTABLE = /\/\*(M?)!(\d{5,6})?/y

const MARKED = /\/\*M?!/

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

/**
 * A statement as the server reads it: comments are blanks, blanks between words are one, and what
 * stands in comments that are run (`/*!50003 … *\/`) stands there without them. What is run depends
 * on the server's version: once as this one reads it, and once as if all of them were run. What is a
 * blank depends on how its client writes. What a backslash does depends on the mode of the connection, which whoever
 * writes statements may change: it is read in each. Of several statements each alone as well. Empty when that is what
 * was sent.
 */
export function readStatement(statement: string, version: ServerVersion | undefined): string[] {
  const modes = ESCAPED_QUOTE.test(statement) ? [QUOTED, ...QUOTED_IN_MODES] : [QUOTED]
  const readings = modes.map((isQuoted) => readingsOf(statement, version, isQuoted))
  const alone = readings.map((ones, at) => ones.flatMap((one) => statementsIn(one, endOfQuoted(modes[at] ?? QUOTED))))
  return [...new Set([...readings, ...alone].flat())].filter((one) => one !== statement)
}

function readingsOf(statement: string, version: ServerVersion | undefined, isQuoted: RegExp): string[] {
  const all = read(statement, () => true, isQuoted)
  const exact = version && MARKED.test(statement) ? read(statement, (mark) => runs(mark, version), isQuoted) : all
  const blank = statement.replaceAll(BLANKS_OF_SOME, ' ')
  const other = blank === statement ? all : read(blank, () => true, isQuoted)
  return [...new Set([exact, all, other])]
}

const endOfQuoted = (isQuoted: RegExp) => (text: string, at: number) =>
  at + (matchAt(isQuoted, text, at)?.[0].length ?? 0)

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

function read(statement: string, isRun: (mark: Mark) => boolean, isQuoted: RegExp): string {
  let seen = ''
  /** How many comments that are run we are in. */
  let depth = 0
  for (let at = 0; at < statement.length; ) {
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
    } else if (statement[at] !== '*') {
      seen += ' '
      at = endOfComment(statement, at)
    } else if (depth) {
      depth--
      seen += ' '
      at += 2
    } else {
      seen += '*'
      at++
    }
  }
  return seen.replaceAll(/ {2,}/g, ' ').trim()
}

/** Where the comment ends that begins here. */
function endOfComment(statement: string, at: number): number {
  const line = matchAt(LINE, statement, at)
  return line ? at + line[0].length : endOfMarks(statement, at + 2)
}

/** Of one that is not run, in which further comments may stand. */
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
