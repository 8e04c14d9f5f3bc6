import { type SQL, sql } from 'drizzle-orm'
import { type Compare, type Filter, parse } from 'scim2-parse-filter'
import { CORE_GROUP, CORE_USER, ENTERPRISE_USER } from './attributes.ts'
import { scimError } from './scim-error.ts'

/** Characters of a filter. */
const MAX_FILTER = 1000
/** Comparisons in one. */
const MAX_COMPARISONS = 30

/** How an attribute is asked for. */
export type Asked =
  /** Compared without case, unless it is exact (RFC 7643 §2.2). */
  | { is: 'text'; sql: SQL; exact?: true }
  | { is: 'boolean'; sql: SQL }
  | { is: 'time'; sql: SQL }
  /** A list in JSON, whose entries have such parts. */
  | { is: 'list'; sql: SQL; parts: readonly string[] }

/** By name in lower case. */
export type Askable = Readonly<Record<string, Asked>>

/**
 * A filter of RFC 7644 §3.4.2.2 as a condition in SQL. Throws 400 (`invalidFilter`) for what is no
 * filter, and for attributes that are not kept.
 */
export function conditionOf(askable: Askable, text: string): SQL {
  const filter = readFilter(text)
  if (comparisonsOf(filter) > MAX_COMPARISONS)
    throw scimError(400, 'tooMany', `A filter has at most ${MAX_COMPARISONS} comparisons`)
  return toSql(askable, filter)
}

/** Reads a filter. Throws 400 (`invalidFilter`) for text that is none, or too long. */
export function readFilter(text: string): Filter {
  if (text.length > MAX_FILTER) throw scimError(400, 'invalidFilter', `A filter has at most ${MAX_FILTER} characters`)
  try {
    return parse(text)
  } catch {
    throw scimError(400, 'invalidFilter', `${text.slice(0, 80)} is no filter`)
  }
}

function comparisonsOf(filter: Filter): number {
  if ('filters' in filter) return filter.filters.reduce((sum, one) => sum + comparisonsOf(one), 0)
  if ('filter' in filter) return comparisonsOf(filter.filter)
  return 'valFilter' in filter ? comparisonsOf(filter.valFilter) : 1
}

function toSql(askable: Askable, filter: Filter): SQL {
  if ('filters' in filter)
    return sql`(${sql.join(
      filter.filters.map((one) => toSql(askable, one)),
      filter.op === 'and' ? sql` AND ` : sql` OR `,
    )})`
  // Where a value is absent a comparison is false, so its opposite is true.
  if ('filter' in filter) return sql`NOT coalesce(${toSql(askable, filter.filter)}, false)`
  if ('valFilter' in filter) {
    const list = askedBy(askable, filter.attrPath)
    if (list.is !== 'list') throw scimError(400, 'invalidFilter', `${filter.attrPath} is no list`)
    return anyEntry(list, (entries) => toSql(entries, filter.valFilter))
  }
  const { attrPath } = filter
  const [name, part] = splitPart(askable, attrPath)
  const asked = askedBy(askable, name)
  if (asked.is === 'list') {
    const value = 'compValue' in filter ? filter : undefined
    return anyEntry(asked, (entries) => {
      const inside = askedBy(entries, part ?? 'value')
      return value ? compare(inside, value) : sql`${inside.sql} IS NOT NULL`
    })
  }
  return 'compValue' in filter ? compare(asked, filter) : sql`coalesce(${asked.sql}::text, '') <> ''`
}

/** `emails.value` is asked of the entries of `emails`. */
function splitPart(askable: Askable, path: string): [name: string, part?: string] {
  const name = plain(path)
  const at = name.lastIndexOf('.')
  const before = name.slice(0, at)
  return at > 0 && askable[before]?.is === 'list' ? [before, name.slice(at + 1)] : [name]
}

/** Without the schema that it belongs to; in lower case. */
function plain(path: string): string {
  const name = path.toLowerCase()
  for (const core of [CORE_USER, CORE_GROUP])
    if (name.startsWith(`${core.toLowerCase()}:`)) return name.slice(core.length + 1)
  return name.replace(`${ENTERPRISE_USER.toLowerCase()}:`, 'enterprise.')
}

function askedBy(askable: Askable, path: string): Asked {
  const name = plain(path)
  const asked = Object.hasOwn(askable, name) ? askable[name] : undefined
  if (!asked) throw scimError(400, 'invalidFilter', `Nothing can be found by ${path.slice(0, 80)}`)
  return asked
}

function anyEntry({ sql: list, parts }: Extract<Asked, { is: 'list' }>, condition: (entries: Askable) => SQL): SQL {
  const entries = Object.fromEntries(
    parts.map((part) => [
      part.toLowerCase(),
      part === 'primary'
        ? ({ is: 'boolean', sql: sql`(entry ->> 'primary')::boolean` } as const)
        : ({ is: 'text', sql: sql`entry ->> ${part}::text` } as const),
    ]),
  )
  return sql`EXISTS (SELECT 1 FROM jsonb_array_elements(${list}) entry WHERE ${condition(entries)})`
}

const ORDER = { gt: sql`>`, ge: sql`>=`, lt: sql`<`, le: sql`<=` } as const

function compare(asked: Asked, { op, compValue, attrPath }: Compare): SQL {
  const wrong = () => scimError(400, 'invalidFilter', `${attrPath.slice(0, 80)} cannot be compared like that`)
  const { sql: left } = asked
  if (compValue === null) {
    if (op !== 'eq' && op !== 'ne') throw wrong()
    return op === 'eq' ? sql`${left} IS NULL` : sql`${left} IS NOT NULL`
  }
  if (asked.is === 'boolean') {
    const wanted = typeof compValue === 'string' ? compValue.toLowerCase() : String(compValue)
    if ((op !== 'eq' && op !== 'ne') || (wanted !== 'true' && wanted !== 'false')) throw wrong()
    return sql`${left} IS ${op === 'eq' ? sql`` : sql`NOT`} ${wanted === 'true' ? sql`TRUE` : sql`FALSE`}`
  }
  const value = typeof compValue === 'string' ? unescaped(compValue) : String(compValue)
  if (value.includes('\0')) throw wrong()
  if (asked.is === 'time') {
    const time = new Date(value)
    if (Number.isNaN(time.getTime()) || op === 'co' || op === 'sw' || op === 'ew') throw wrong()
    const at = sql`${time.toISOString()}::timestamptz`
    if (op === 'eq') return sql`${left} = ${at}`
    return op === 'ne' ? sql`${left} IS DISTINCT FROM ${at}` : sql`${left} ${ORDER[op]} ${at}`
  }
  if (asked.is === 'list') throw wrong()
  const [mine, theirs] = asked.exact ? [left, sql`${value}::text`] : [sql`lower(${left})`, sql`lower(${value}::text)`]
  switch (op) {
    case 'eq':
      return sql`${mine} = ${theirs}`
    case 'ne':
      return sql`${mine} IS DISTINCT FROM ${theirs}`
    case 'co':
      return sql`position(${theirs} in ${mine}) > 0`
    case 'sw':
      return sql`starts_with(${mine}, ${theirs})`
    case 'ew':
      return sql`right(${mine}, length(${theirs})) = ${theirs}`
    default:
      return sql`${mine} ${ORDER[op]} ${theirs}`
  }
}

/**
 * The parser leaves escapes other than of quotes as they were written. A value is a JSON string
 * (RFC 7644 §3.4.2.2); one that is none, such as `CORP\\anna`, is taken as it is.
 */
function unescaped(value: string): string {
  if (!value.includes('\\')) return value
  try {
    return JSON.parse(`"${value.replaceAll('"', '\\"')}"`)
  } catch {
    return value
  }
}
