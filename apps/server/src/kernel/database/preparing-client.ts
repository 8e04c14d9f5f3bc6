import { createHash } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import { noteLostConnection } from './lost-connection.ts'

/**
 * Statements known by name, on each connection. One takes some ten kilobytes there; the product's
 * own are far fewer, but lists may be filtered and ordered in countless ways.
 */
const MAX_NAMES = 500
/** What comes this often comes again. */
const WORTH_A_NAME = 5
/** Texts that are counted at a time. */
const MAX_COUNTED = 5000
/** In front of written SQL that is asked often, and of which one plan is good for all values. */
export const PREPARED = sql.raw('/* prepared */')
/** Characters of a statement; the longest, which store hundreds of rows, would take megabytes. */
const MAX_TEXT = 20_000
/** Statements of the query builder, and written ones that say so. */
const REPEATED = /^\s*(?:(?:with|select|insert into|update|delete from) |\/\* prepared \*\/)/
/** Patterns decide which index is good: such statements are planned each time. */
const DEPENDS_ON_VALUES = /\bi?like\b/i

const names = new Map<string, string>()
const counts = new Map<string, number>()

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (
    known ||
    text.length > MAX_TEXT ||
    names.size >= MAX_NAMES ||
    !REPEATED.test(text) ||
    DEPENDS_ON_VALUES.test(text)
  )
    return known
  const count = (counts.get(text) ?? 0) + 1
  if (count < WORTH_A_NAME) {
    if (counts.size >= MAX_COUNTED) counts.clear()
    counts.set(text, count)
    return undefined
  }
  counts.delete(text)
  const name = createHash('sha1').update(text).digest('base64url')
  names.set(text, name)
  return name
}

/** Options that a pool passes to its connections beside the driver's own. */
export interface WatchesRefusals {
  onRefusal?: (refusal: pg.DatabaseError) => void
}

/**
 * A connection on which PostgreSQL keeps the query builder's repeated statements parsed and
 * planned: for a page of a list that takes longer than reading its rows (bench/list.ts).
 */
export class PreparingClient extends pg.Client {
  constructor(config: pg.ClientConfig & WatchesRefusals = {}) {
    super(config)
    // Every refusal of the server; the driver reports it only to the caller of the query.
    const { connection } = this as unknown as { connection: EventEmitter }
    connection.on('errorMessage', (refusal: pg.DatabaseError) => config.onRefusal?.(refusal))
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's own signatures pass through unchanged
  override connect(callback?: any): any {
    if (!callback) return super.connect()
    return super.connect((error: Error) => {
      if (error) noteLostConnection(error)
      callback(error)
    })
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's own signatures pass through unchanged
  override query(first: any, ...rest: any[]): any {
    const name =
      first && typeof first === 'object' && typeof first.text === 'string' && !first.name
        ? nameOf(first.text)
        : undefined
    return super.query(name ? { ...first, name } : first, ...(rest as []))
  }
}
