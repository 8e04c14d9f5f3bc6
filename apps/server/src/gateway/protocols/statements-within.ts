import { madeBehind } from './made-texts.ts'
import { FILLER, FOUND_OF_LENGTH, MAX_DEPTH, MAX_FOUND, SPARE } from './search-limits.ts'
import { contentBehind } from './texts-behind.ts'

/** Characters at which quotes begin. */
const MARK = /['"`$]|[eE]'/g

const CHANGES =
  'alter|call|create|delete|drop|execute|grant|insert|load|merge|rename|replace|revoke|truncate|update|with'
/** A query that changes rows: `WITH d AS (DELETE FROM t RETURNING *) …`, `COPY (DELETE …) TO …`. */
const IN_BRACKETS = /\( ?(?=(?:insert into|delete from|update|merge into) )/gi
/** Statements that use the queries before them. */
const BEHIND_QUERIES = new RegExp(`\\) ?(?=(?:${CHANGES}) )`, 'gi')
/** Statements that are run to explain them. */
const CHANGED = new RegExp(`[ )](?=(?:${CHANGES}) )`, 'gi')
const BEHIND_AS = /^prepare \S+?(?: ?\([^)]*\))? as /gi
/** `SET STATEMENT max_statement_time = 1 FOR …` */
const BEHIND_FOR = / for /gi
const BEHIND_DO = / do /gi
/** A statement of a schema's own. */
const OF_SCHEMA = / (?=(?:create|grant) )/gi
/** In a block. */
const OF_BLOCK = new RegExp(`(?:\\b(?:begin|atomic|then|else|do|loop|repeat)|:|>>) ?| (?=(?:${CHANGES}) )`, 'gi')
/** Words before an expression of a text that is run; in a block of PostgreSQL it is one word alone. */
const MADE_OF = /\bexecute immediate\b|\bprepare \S+ from\b/gi
const MADE_IN_BLOCK = /\bexecute\b/gi
/** Words before the text of a block. */
const BLOCK_OF = /^do ?(?:language (?:\w+|['"]\ue000+) ?)?(?=(?:u&|[en])?['"$])/gi
/** Places behind which a statement that begins so runs another. */
const OF_ONE: readonly { beginning: RegExp; behind: RegExp }[] = [
  { beginning: /^with\b/i, behind: BEHIND_QUERIES },
  { beginning: /^(?:explain|desc(?:ribe)?)\b.*?\banaly[sz]e\b|^analy[sz]e /i, behind: CHANGED },
  { beginning: /^prepare /i, behind: BEHIND_AS },
  { beginning: /^set statement /i, behind: BEHIND_FOR },
  { beginning: /^(?:create|alter) .*?\bevent /i, behind: BEHIND_DO },
  { beginning: /^create schema /i, behind: OF_SCHEMA },
]
const PLACES: typeof OF_ONE = [
  ...OF_ONE,
  {
    beginning:
      /^(?:[^\s:#<]+ ?: ?|<<[^>]*>> ?|#\w+ \w+ )*(?:begin|declare|if|elseif|elsif|else|case|when|loop|while|repeat|for|exception)\b/i,
    behind: OF_BLOCK,
  },
]

/** Whether any may be in a text. */
const MAY_HAVE =
  /\( ?(?:insert|delete|update|merge)\b|\b(?:with|analy[sz]e|prepare|statement|event|schema|begin|declare|if|else|elseif|elsif|case|when|loop|while|repeat|for|exception|execute|do)\b/i

/** Whether one that is without quotes and comments runs any other: almost none does. */
export const mayRunOthers = (statement: string): boolean => MAY_HAVE.test(statement)

/** How a database reads texts. */
export interface Within {
  /** End of the text or name that is quoted from there on; the place itself where none is. */
  endOfQuoted(text: string, at: number): number
  /** Undefined when there are more than are looked at. */
  statementsOf(text: string): ReadStatements | undefined
}

/** Statements that a text may be read as. */
export interface ReadStatements {
  /** All of it, and each of its statements. */
  texts: readonly string[]
  /** Each statement: the text itself where it is one. */
  alone: readonly string[]
}

/**
 * Statements that others run: in a block, behind `WITH` and `EXPLAIN ANALYZE`, in a text that is prepared. A rule about the
 * beginning of a statement is about each. `statements`: without comments, with one blank where there are several.
 * Undefined when there are more than are looked at.
 */
export function statementsWithin(statements: readonly string[], within: Within): string[] | undefined {
  const search = new Search(
    within,
    statements.reduce((all, { length }) => all + length, 0),
  )
  for (const one of statements) search.whole(one, 0)
  return search.isOver ? undefined : [...search.found]
}

class Search {
  readonly found = new Set<string>()
  isOver = false
  readonly #within: Within
  /** Characters that may still be found. */
  #left: number

  constructor(within: Within, length: number) {
    this.#within = within
    this.#left = SPARE + FOUND_OF_LENGTH * length
  }

  whole(written: string, depth: number): void {
    if (this.isOver || !MAY_HAVE.test(written)) return
    const text = written.replace(/^[ (]+/, '')
    const bare = withoutQuoted(text, this.#within.endOfQuoted)
    for (const { index, 0: head } of bare.matchAll(IN_BRACKETS)) {
      if (this.isOver) return
      this.#add(text, index + head.length, endOfBrackets(bare, index))
    }
    this.#places(text, bare, PLACES)
    for (const sign of [MADE_OF, BLOCK_OF, ...(depth ? [MADE_IN_BLOCK] : [])])
      for (const { index, 0: head } of bare.matchAll(sign)) {
        if (!this.#spend(bare.length - index)) return
        const from = index + head.length
        for (const made of [contentBehind(text, bare, from), madeBehind(text, bare, from)])
          if (made) this.#made(made, depth + 1)
      }
  }

  #made(text: string, depth: number): void {
    const read = depth < MAX_DEPTH ? this.#within.statementsOf(text) : undefined
    if (!read) this.isOver = true
    for (const one of read ? [text, ...read.texts] : []) this.#add(one, 0)
    for (const one of read?.alone ?? []) this.whole(one, depth)
  }

  #places(text: string, bare: string, places: typeof PLACES): void {
    for (const { beginning, behind } of places) {
      if (!beginning.test(bare)) continue
      for (const { index, 0: head } of bare.matchAll(behind)) {
        if (this.isOver) return
        const from = index + head.length
        // Further places within a block are found already.
        const further = behind === OF_BLOCK ? OF_ONE : PLACES
        if (this.#add(text, from)) this.#places(text.slice(from), bare.slice(from), further)
      }
    }
  }

  /** Characters are looked at once more. */
  #spend(characters: number): boolean {
    this.#left -= characters
    if (this.#left < 0 || this.found.size >= MAX_FOUND) this.isOver = true
    return !this.isOver
  }

  /** False when it is known, or nothing. */
  #add(text: string, from: number, to = text.length): boolean {
    if (!this.#spend(to - from)) return false
    const own = text.slice(from, to).trim()
    if (!own || this.found.has(own)) return false
    this.found.add(own)
    return true
  }
}

/** Keeps the length. */
function withoutQuoted(text: string, endOfQuoted: Within['endOfQuoted']): string {
  let bare = ''
  let from = 0
  MARK.lastIndex = 0
  for (let mark = MARK.exec(text); mark; mark = MARK.exec(text)) {
    const end = endOfQuoted(text, mark.index)
    if (end <= mark.index + 1) continue
    const [sign] = mark
    bare += text.slice(from, mark.index) + sign + FILLER.repeat(end - mark.index - sign.length)
    from = end
    MARK.lastIndex = end
  }
  return bare + text.slice(from)
}

function endOfBrackets(bare: string, from: number): number {
  const sign = /[()]/g
  sign.lastIndex = from
  let depth = 0
  for (let one = sign.exec(bare); one; one = sign.exec(bare)) {
    depth += one[0] === '(' ? 1 : -1
    if (!depth) return one.index
  }
  return bare.length
}
