import { eachStatement } from './each-statement.ts'

/** Tokens of a statement of MySQL or MariaDB: strings and comments differ from names and signs. */
const tokenOf = (quoted: string) =>
  new RegExp(
    `${quoted}|${/`((?:[^`]|``)*)`?|\/\*M?!\d*|\*\/|\/\*[\s\S]*?(?:\*\/|$)|#[^\n]*|--(?=[^!-~\u0080-\uffff]|$)[^\n]*|@{1,2}[\w$.]*|(?<!\.)\d+(?:\.\d*(?:e[+-]?\d+)?|e[+-]?\d+)|(?<![\w$\u0080-\uffff])\.\d+(?:e[+-]?\d+)?|\\N|([\w$\u0080-\uffff]+)|[\s\S]/.source}`,
    'giy',
  )
const TOKEN = tokenOf(/'(?:[^'\\]|\\[\s\S]|'')*'?|"(?:[^"\\]|\\[\s\S]|"")*"?/.source)
/** The same under the modes ANSI_QUOTES, where double quotes are those of names, and NO_BACKSLASH_ESCAPES. */
const TOKENS_IN_MODES = [/'(?:[^'\\]|\\[\s\S]|'')*'?|"(?:[^"]|"")*"?/, /'(?:[^']|'')*'?|"(?:[^"]|"")*"?/].map(
  (quoted) => tokenOf(quoted.source),
)
/** Whether the mode matters. */
const ESCAPED_QUOTE = /\\['"]/
const BLANK = /[ \t-\r\0]+/y
/** Blanks where a client writes in one byte a character; elsewhere letters of names. */
const BLANKS_OF_SOME = /[\u0080-\u00a0\ufffd]/g

interface Token {
  /** A name without its quotes, or a sign. */
  text: string
  kind: 'word' | 'quoted' | 'string' | 'sign'
  /** Offset where it begins. */
  at: number
}

/** Places where tables are named; names with a point in other places are columns of them. */
type Place = 'tables' | 'into' | 'columns' | 'on'

/**
 * Words behind which tables follow, and those behind which they do not. Only reserved ones: another could be
 * the alias of a table, behind which the next table is named.
 */
const TABLES = /^(?:from|join|straight_join|update|delete|table|using|references)$/i
const COLUMNS = /^(?:select|where|set|having|group|order|limit|values)$/i
/** Statements that begin with columns, and such that begin with the table that they write to; all others with tables. */
const OF_COLUMNS = /^(?:select|with|set|do|values)$/i
const OF_ROWS = /^(?:insert|replace)$/i
/** Statements whose `ON` names a table. */
const ON_TABLE = /^(?:grant|revoke|create|drop)$/i
/**
 * Blocks of statements, which MariaDB runs without any procedure as well; behind these words
 * another begins.
 */
const BLOCKS = /^(?:if|case|loop|while|repeat|for)$/i
const BEGINNINGS = /^(?:atomic|begin|then|else|do|loop|repeat)$/i
/** Words behind `USE` in a query. */
const OF_INDEX = /^(?:index|key)$/i
/** MariaDB's functions of a sequence, which is named as a column would be. */
const OF_SEQUENCE = /^(?:nextval|lastval|setval)$/i
/** Rows of a trigger. */
const ROWS = /^(?:new|old)$/i

/**
 * The databases that statements name: by `USE`, as the owner of a table or routine, or themselves.
 * A name that may be no column counts as a database. The meaning of a backslash depends on the mode
 * of the connection, which the author of the statements may change: they are read in each.
 * Undefined when there are more ways to read them than are looked at.
 */
export function namedDatabases(text: string): string[] | undefined {
  const reading: Reading = { found: new Set(), isBlock: false }
  const tokens = ESCAPED_QUOTE.test(text) ? [TOKEN, ...TOKENS_IN_MODES] : [TOKEN]
  const blank = text.replaceAll(BLANKS_OF_SOME, ' ')
  const ways = [...new Set([text, blank])].flatMap((one) => tokens.map((token) => ({ text: one, token })))
  const isWhole = eachStatement(text.length, ways, (way, from) => readStatement(way.text, way.token, from, reading))
  return isWhole ? [...reading.found] : undefined
}

interface Reading {
  found: Set<string>
  /** A block has begun, whose statements end as those outside do. */
  isBlock: boolean
}

/**
 * Reads what begins there up to its semicolon, and answers where that is: also what is within a block
 * (`BEGIN NOT ATOMIC …`), and behind what is set for one statement (`SET STATEMENT … FOR …`).
 */
function readStatement(text: string, pattern: RegExp, from: number, reading: Reading): number {
  let statement: Token[] = []
  let depth = 0
  const { found } = reading
  const word = (at: number) => (statement[at]?.kind === 'word' ? (statement[at]?.text ?? '') : '')
  for (const token of tokensOf(text, pattern, from)) {
    const { kind, text: own } = token
    const isSign = kind === 'sign'
    if (isSign && own === ';') {
      readOne(statement, found)
      return token.at
    }
    if (isSign && own === '(') depth++
    else if (isSign && own === ')') depth--
    const isLabelled = isSign && own === ':' && statement.length === 1
    reading.isBlock ||= isLabelled || (/^begin$/i.test(word(0)) && /^not$/i.test(word(1))) || BLOCKS.test(word(0))
    statement.push(token)
    const isBehindSet = /^set$/i.test(word(0)) && /^statement$/i.test(word(1)) && depth <= 0
    const isBeginning = kind === 'word' && (isBehindSet ? /^for$/i.test(own) : reading.isBlock && BEGINNINGS.test(own))
    if (isLabelled || isBeginning) {
      readOne(statement, found)
      statement = []
      depth = 0
    }
  }
  readOne(statement, found)
  return text.length
}

/** Between two brackets. */
interface Level {
  place: Place
  /** A query begins in it. */
  isQuery: boolean
  /** It belongs to a function, whose `FROM` names no table. */
  isOfFunction: boolean
}

function readOne(tokens: readonly Token[], found: Set<string>): void {
  const word = (at: number) => (tokens[at]?.kind === 'word' ? (tokens[at]?.text ?? '') : '')
  const isSign = (at: number, sign: string) => tokens[at]?.kind === 'sign' && tokens[at]?.text === sign
  const isName = (at: number) => tokens[at]?.kind === 'word' || tokens[at]?.kind === 'quoted'
  const first = tokens.findIndex(({ kind }) => kind === 'word')
  const verb = word(first)
  if (/^show$/i.test(verb)) readShow(tokens, first, found)
  const begin: Place = OF_COLUMNS.test(verb) ? 'columns' : OF_ROWS.test(verb) ? 'into' : 'tables'
  let level: Level = { place: begin, isQuery: false, isOfFunction: false }
  const outer: Level[] = []
  for (const [at, { text, kind }] of tokens.entries()) {
    if (isSign(at, '(')) {
      outer.push(level)
      const isOfFunction = isName(at - 1) && !TABLES.test(word(at - 1))
      // A list of tables goes on within its brackets.
      const place = level.place === 'tables' && !isOfFunction ? 'tables' : 'columns'
      level = { place, isQuery: false, isOfFunction }
    } else if (isSign(at, ')')) level = outer.pop() ?? level
    else if (isSign(at, ',') && level.place === 'on') level.place = 'tables'
    if (!isName(at) || isSign(at - 1, '.')) continue
    if (isSign(at + 1, '.')) {
      const isTriple = isName(at + 2) && isSign(at + 3, '.')
      const isCalled = isName(at + 2) && isSign(at + 3, '(')
      const isOfSequence =
        (isSign(at - 1, '(') && OF_SEQUENCE.test(word(at - 2))) ||
        (/^for$/i.test(word(at - 1)) && /^value$/i.test(word(at - 2)))
      const isOwner = level.place === 'tables' || level.place === 'into' || isOfSequence
      if (isTriple || isCalled || (isOwner && !ROWS.test(text))) found.add(text)
    } else if (kind === 'word') {
      if (/^(?:database|schema)$/i.test(text) && /^(?:create|drop|alter|show)$/i.test(verb)) {
        let next = at + 1
        while (/^(?:if|not|exists)$/i.test(word(next))) next++
        if (isName(next)) found.add(tokens[next]?.text ?? '')
      }
      if (/^use$/i.test(text) && isName(at + 1) && !OF_INDEX.test(word(at + 1))) found.add(tokens[at + 1]?.text ?? '')
      level.isQuery ||= /^select$/i.test(text) && !/^(?:grant|revoke)$/i.test(verb)
      level.place = placeBehind(text, { level, verb, before: word(at - 1) })
    }
  }
}

function placeBehind(text: string, { level, verb, before }: { level: Level; verb: string; before: string }): Place {
  if (/^into$/i.test(text)) return 'into'
  if (/^on$/i.test(text)) return ON_TABLE.test(verb) && !level.isQuery ? 'tables' : 'on'
  // ALTER TABLE a ALTER b SET DEFAULT 1, RENAME TO c
  if (/^rename$/i.test(text) && /^alter$/i.test(verb)) return 'tables'
  // ON DUPLICATE KEY UPDATE
  if (/^update$/i.test(text) && /^key$/i.test(before)) return 'columns'
  // EXTRACT(YEAR FROM placed)
  if (TABLES.test(text) && !(level.isOfFunction && !level.isQuery && level.place === 'columns' && /^from$/i.test(text)))
    return 'tables'
  return COLUMNS.test(text) ? 'columns' : level.place
}

/** `SHOW TABLES FROM shop`, `SHOW COLUMNS FROM orders IN shop`. */
function readShow(tokens: readonly Token[], first: number, found: Set<string>): void {
  const end = tokens.findIndex(({ kind, text }) => kind === 'word' && /^(?:like|where)$/i.test(text))
  const named = tokens.slice(0, end < 0 ? undefined : end).flatMap(({ kind, text }, at) => {
    const owner = tokens[at + 1]
    return kind === 'word' && /^(?:from|in)$/i.test(text) && owner ? [owner.text] : []
  })
  const isOfTable = tokens.some(
    ({ kind, text }, at) =>
      at > first && at < first + 4 && kind === 'word' && /^(?:columns|fields|index|indexes|keys)$/i.test(text),
  )
  const database = isOfTable ? named[1] : named[0]
  if (database !== undefined) found.add(database)
}

function* tokensOf(text: string, pattern: RegExp, from: number): Generator<Token> {
  for (let at = from; at < text.length; ) {
    BLANK.lastIndex = at
    if (BLANK.test(text)) {
      at = BLANK.lastIndex
      continue
    }
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (!match) return
    const [whole, quoted, word] = match
    if (quoted !== undefined) yield { kind: 'quoted', text: quoted.replaceAll('``', '`'), at }
    else if (word !== undefined) yield { kind: 'word', text: word, at }
    // Where double quotes are those of names (ANSI_QUOTES), they name what single backquotes would.
    else if (whole.startsWith('"')) yield { kind: 'quoted', text: whole.slice(1, -1).replaceAll('""', '"'), at }
    else if (whole.startsWith("'")) yield { kind: 'string', text: whole, at }
    else if (!/^(?:\/\*|\*\/|#|--)/.test(whole)) yield { kind: 'sign', text: whole, at }
    at += whole.length
  }
}
