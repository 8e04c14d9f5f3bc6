/** How a database's SQL is taken apart, as far as its statements go. */
export interface SqlSyntax {
  /** A backslash escapes in every string; otherwise only in those that begin with E. */
  hasEscapes: boolean
  /** `$tag$ … $tag$` quotes. */
  hasDollarQuotes: boolean
  hasNestedComments: boolean
  /** `#` begins a comment, and `--` only before a blank. */
  hasHashComments: boolean
  /** `[a name]`, in which a bracket at its end is doubled. */
  hasBrackets?: boolean
  /** A row that is a command of its own where a statement could begin, without an end. */
  rowCommand: RegExp
  /**
   * A row that runs the text before it, in place of a delimiter; its first group says how many
   * times.
   */
  rowEnd?: RegExp
  /**
   * How a statement begins that has delimiters within, and ends at such a row alone; the others end at a
   * delimiter as well.
   */
  block?: RegExp
  /** `q'[…]'`, and with any mark in place of the brackets. */
  hasMarkedQuotes?: boolean
}

/** State of the scanner at a place of a text. */
export interface ScanState {
  /** Undefined: code. Otherwise what it ends with. */
  readonly quote: string | undefined
  /** In such a quote a backslash escapes. */
  readonly escapes: boolean
  /** Depth of comments within each other. */
  readonly comments: number
  readonly parentheses: number
  /** A statement has begun, and not ended. */
  readonly isPending: boolean
  /** How it has begun, where that matters: its first words, without comments. */
  readonly lead: string
}

export const START: ScanState = {
  ...{ quote: undefined, escapes: false, comments: 0 },
  ...{ parentheses: 0, isPending: false, lead: '' },
}

/** How a statement is ended, or what else it is: a command of the prompt's own. */
export type Ending = 'plain' | 'expanded' | 'command'

/** Place where something ends in a row. */
interface Cut {
  /** Its own text ends here, */
  end: number
  /** and what is next begins here. */
  next: number
  ending: Ending
  /** How many times it is to be done. */
  times: number
}

const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y
const WORD = /[\w\u0080-\uffff$]/
const RUN = /\\g(x)?(?=\s|$|;)|\\(G)(?=\s|$|;)/y
/** Limit of the beginning of a statement that is looked at, in characters. */
const LEAD = 200
/** End of a quote with a mark, where that is not the mark itself. */
const CLOSING: ReadonlyMap<string, string> = new Map([
  ['[', ']'],
  ['{', '}'],
  ['(', ')'],
  ['<', '>'],
])
const MARKED = /(?:^|[^\w\u0080-\uffff$#])[nN]?[qQ]$/
/** For the delimiter of the row before: most rows have the same. */
let marksFor: { delimiter: string | undefined; marks: RegExp } | undefined
function interesting(delimiter: string | undefined): RegExp {
  if (!marksFor || marksFor.delimiter !== delimiter) {
    const own = delimiter === undefined ? '' : `|${delimiter.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`
    marksFor = { delimiter, marks: new RegExp(`['"\`$#\\\\()[]|--|/\\*${own}`, 'g') }
  }
  return marksFor.marks
}

/** Undefined where only a row of its own ends statements. */
export const delimiterOf = ({ rowEnd, block }: SqlSyntax): string | undefined => (rowEnd && !block ? undefined : ';')

/** Scans a row that begins in that state. */
export function scanRow(
  row: string,
  from: ScanState,
  syntax: SqlSyntax,
  delimiter: string | undefined = delimiterOf(syntax),
): { state: ScanState; cuts: Cut[] } {
  const cuts: Cut[] = []
  const marks = interesting(delimiter)
  let { quote, escapes, comments, parentheses, isPending, lead } = from
  let at = 0
  const cut = (end: number, next: number, ending: Ending, times = 1) => {
    cuts.push({ end, next, ending, times })
    isPending = false
    parentheses = 0
    lead = ''
  }
  const rowEnd = quote === undefined && !comments ? syntax.rowEnd?.exec(row) : undefined
  if (rowEnd) {
    cut(0, row.length, 'plain', Number(rowEnd[1] ?? 1))
    at = row.length
  }
  while (at < row.length) {
    if (comments) {
      const mark = /\/\*|\*\//g
      mark.lastIndex = at
      const found = mark.exec(row)
      if (!found) break
      if (found[0] === '*/') comments--
      else if (syntax.hasNestedComments) comments++
      at = mark.lastIndex
      continue
    }
    if (quote !== undefined) {
      const end = quoteEnd(row, at, quote, escapes)
      if (end === undefined) break
      quote = undefined
      at = end
      continue
    }
    if (!isPending && syntax.rowCommand.test(row.slice(at))) {
      cut(row.length, row.length, 'command')
      break
    }
    marks.lastIndex = at
    const found = marks.exec(row)
    const stop = found?.index ?? row.length
    if (row.slice(at, stop).trim()) isPending = true
    if (syntax.block && lead.length < LEAD) lead = `${lead} ${row.slice(at, stop)}`.trimStart()
    if (!found) break
    const [mark] = found
    at = stop + mark.length
    if (mark === delimiter) {
      if (parentheses === 0 && !syntax.block?.test(lead)) cut(stop, at, 'plain')
    } else if (mark === '#' && syntax.hasHashComments) break
    else if (mark === '--') {
      if (!syntax.hasHashComments || /^(?:\s|$)/.test(row.slice(at, at + 1))) break
      isPending = true
    } else if (mark === '/*') {
      comments = 1
      // MySQL runs what is in such a comment.
      if (/^M?!/.test(row.slice(at, at + 2))) isPending = true
    } else if (mark === '\\') {
      if (!isPending) {
        cut(row.length, row.length, 'command')
        break
      }
      RUN.lastIndex = stop
      const run = RUN.exec(row)
      if (!run) continue
      const next = row[RUN.lastIndex] === ';' ? RUN.lastIndex + 1 : RUN.lastIndex
      cut(stop, next, run[1] || run[2] ? 'expanded' : 'plain')
      at = next
    } else {
      isPending = true
      if (mark === '(') parentheses++
      else if (mark === ')') parentheses = Math.max(0, parentheses - 1)
      else if (mark === '[') {
        if (!syntax.hasBrackets) continue
        quote = ']'
        escapes = false
      } else if (mark === '$') {
        const tag = syntax.hasDollarQuotes && !WORD.test(row[stop - 1] ?? '') ? tagAt(row, stop) : undefined
        if (tag === undefined) continue
        quote = tag
        escapes = false
        at = stop + tag.length
      } else if (mark !== '#') {
        const opening =
          syntax.hasMarkedQuotes && mark === "'" && MARKED.test(row.slice(Math.max(0, stop - 3), stop))
            ? row[at]
            : undefined
        if (opening && /\S/.test(opening)) {
          quote = `${CLOSING.get(opening) ?? opening}'`
          escapes = false
          at++
          continue
        }
        quote = mark
        const isE = /(?:^|[^\w\u0080-\uffff$])E$/i.test(row.slice(Math.max(0, stop - 2), stop))
        escapes = mark !== '`' && (syntax.hasEscapes || (mark === "'" && isE))
      }
    }
  }
  return { state: { quote, escapes, comments, parentheses, isPending, lead }, cuts }
}

function quoteEnd(row: string, from: number, quote: string, escapes: boolean): number | undefined {
  if (quote === ']') {
    const found = /[^\]]*(?:\]\][^\]]*)*\](?!\])/y
    found.lastIndex = from
    return found.test(row) ? found.lastIndex : undefined
  }
  if (!escapes) {
    const found = row.indexOf(quote, from)
    return found < 0 ? undefined : found + quote.length
  }
  for (let at = from; at < row.length; at++) {
    if (row[at] === '\\') at++
    else if (row[at] === quote) return at + 1
  }
  return undefined
}

function tagAt(row: string, at: number): string | undefined {
  DOLLAR_TAG.lastIndex = at
  return DOLLAR_TAG.exec(row)?.[0]
}
