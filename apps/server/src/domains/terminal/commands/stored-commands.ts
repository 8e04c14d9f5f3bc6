import { type SQL, sql } from 'drizzle-orm'
import { invalid } from '../../../kernel/errors/app-error.ts'
import { once } from '../../../kernel/once.ts'
import { anyOf, listConditions } from '../../../kernel/resource/conditions.ts'
import type { ReadContext, RowSource } from '../../../kernel/resource/mount.ts'
import { list, type Page, pageOf } from '../../../kernel/resource/query.ts'
import { selectRows } from '../../../kernel/resource/read.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { sameQuery, unwatched } from '../../../kernel/watched-query.ts'
import { terminalCommand } from '../tables.ts'
import { type TextSearch, textSearch } from './text-search.ts'

/** So many of the newest rows are looked through before an index is asked. */
const LOOKED_THROUGH = 10_000
/** Counts end here, as nobody pages so far: those of a search by text, and of other filters. */
const MOST_BY_TEXT = 1_000
export const MOST_COUNTED = 100_000
/** Filters that a few rows among millions may match, wherever they are in time. */
const LOOSE = ['input', 'user', 'asset', 'system_user'] as const

/**
 * Pages of the commands of the table, found within a moment among millions. No single plan does
 * that: what matches often is found by walking back in time, what matches seldom by an index, and
 * which it is PostgreSQL would have to guess. So the newest rows are looked through first; only where
 * they do not fill the page, everything that matches is gathered by the indexes and sorted.
 */
export function storedCommands(commands: MountedResource, context: ReadContext): RowSource | undefined {
  const page = context.query.format ? undefined : pageOf(context.query)
  if (!page) return undefined
  const first = once(async () => {
    const search = await searchOf(commands, context)
    return search && find(search, context, page)
  })
  return {
    async rows(wanted = page) {
      const found = await first()
      if (found?.isTooShort)
        throw invalid({
          input:
            'Too many commands to look through for so short a text: write more of it, or choose a person, an asset or dates',
        })
      if (!found) {
        const { where } = await listConditions(commands, context)
        return selectRows(commands, where, context, wanted)
      }
      return found.ids.length ? selectRows(commands, anyOf(terminalCommand.id, found.ids), context) : []
    },
    async count() {
      const found = await first()
      return found?.count ?? countStored(commands, context)
    },
  }
}

/** How many commands of the table match; no more than `MOST_COUNTED`, but of a session all of them. */
export async function countStored(commands: MountedResource, context: ReadContext): Promise<number> {
  const { session, session_id, ids, spm } = context.query
  const search = await searchOf(commands, context)
  if (search) return (await find(search, context, { limit: 0, offset: 0 })).count
  const { where } = await listConditions(commands, context)
  return countUpTo(context, where, session || session_id || ids || spm ? undefined : MOST_COUNTED)
}

async function countUpTo({ db }: ReadContext, where: SQL | undefined, most: number | undefined): Promise<number> {
  const cut = most ? sql` LIMIT ${most}` : sql``
  const { rows } = await db.execute<{ count: number }>(
    sql`SELECT count(*)::int AS count FROM (SELECT FROM terminal_command WHERE ${where ?? sql`true`}${cut}) found`,
  )
  return rows[0]?.count ?? 0
}

/** The parts of a list call. */
interface Search {
  /** Rows by what is not loose: where, when, how dangerous. */
  base: SQL
  /** Rows by everything but their text. */
  narrow: SQL
  /** The text that is searched for, if any. */
  text: TextSearch | undefined
}

/** Undefined without a loose filter: an index has the rows in their order then. */
async function searchOf(commands: MountedResource, context: ReadContext): Promise<Search | undefined> {
  const { query } = context
  if (!LOOSE.some((name) => query[name])) return undefined
  const without = async (names: readonly string[]) => {
    const rest = Object.fromEntries(
      Object.entries(unwatched(query) as Record<string, string>).filter(([name]) => !names.includes(name)),
    )
    return (await listConditions(commands, { ...context, query: sameQuery(query, rest) })).where ?? sql`true`
  }
  const [base, narrow] = [await without(LOOSE), await without(['input'])]
  return { base, narrow, text: query.input ? textSearch(query.input) : undefined }
}

interface Found {
  ids: string[]
  count: number
  /** Only the newest rows were looked through: there are too many for a text that no index finds. */
  isTooShort?: boolean
}

async function find(search: Search, context: ReadContext, page: Page): Promise<Found> {
  const { base, narrow, text } = search
  const { db, query } = context
  const direction = list(query.order).includes('timestamp') ? sql`ASC` : sql`DESC`
  const order = sql`timestamp ${direction}, id ${direction}`
  const ids = sql`ARRAY(SELECT id FROM found ORDER BY ${order} LIMIT ${page.limit} OFFSET ${page.offset})::text[] AS ids`
  // Without OFFSET it would be turned round: every statement with that text first, however many.
  const hasText = text
    ? sql`AND (input ILIKE ${text.pattern} OR EXISTS (
        SELECT FROM terminal_statement s WHERE s.command = terminal_command.id AND s.text ILIKE ${text.pattern} OFFSET 0))`
    : sql``
  const { rows: near } = await db.execute<{ seen: number; found: number; ids: string[] }>(sql`
    WITH seen AS MATERIALIZED (
      SELECT id, org_id, "user", asset, "system_user", input, session, risk_level, ticket, timestamp, due
      FROM terminal_command WHERE ${base} ORDER BY ${order} LIMIT ${LOOKED_THROUGH}),
    found AS MATERIALIZED (SELECT id, timestamp FROM seen AS terminal_command WHERE ${narrow} ${hasText})
    SELECT (SELECT count(*)::int FROM seen) AS seen, (SELECT count(*)::int FROM found) AS found, ${ids}`)
  const [{ seen, found, ids: newest } = { seen: 0, found: 0, ids: [] as string[] }] = near
  if (seen < LOOKED_THROUGH) return { ids: newest, count: found }
  if (found >= Math.max(page.offset + page.limit, MOST_FILLED))
    return { ids: newest, count: await countMany(search, context) }
  if (text && !text.isIndexed && (await countUpTo(context, narrow, MOST_COUNTED)) === MOST_COUNTED)
    return { ids: newest, count: found, isTooShort: true }
  const byText = text
    ? sql`${text.in(sql`input`)} UNION
        SELECT terminal_command.id, timestamp FROM terminal_statement s JOIN terminal_command ON terminal_command.id = s.command
        WHERE ${narrow} AND ${text.in(sql`s.text`)}`
    : sql`true`
  const { rows: all } = await db.execute<{ found: number; ids: string[] }>(sql`
    WITH found AS MATERIALIZED (SELECT id, timestamp FROM terminal_command WHERE ${narrow} AND ${byText})
    SELECT (SELECT count(*)::int FROM found) AS found, ${ids}`)
  return { ids: all[0]?.ids ?? [], count: all[0]?.found ?? 0 }
}

/** So many among those that were looked through mean that there are very many in all. */
const MOST_FILLED = 30

/** The count of a frequent match: counting all of it would read most of the table. */
async function countMany({ narrow, text }: Search, context: ReadContext): Promise<number> {
  if (!text) return countUpTo(context, narrow, MOST_COUNTED)
  const { pattern } = text
  const { rows } = await context.db.execute<{ count: number }>(sql`
    SELECT count(*)::int AS count FROM (
      (SELECT FROM terminal_command WHERE ${narrow} AND input ILIKE ${pattern} LIMIT ${MOST_BY_TEXT})
      UNION ALL
      (SELECT FROM terminal_statement s JOIN terminal_command ON terminal_command.id = s.command
       WHERE ${narrow} AND s.text ILIKE ${pattern} AND terminal_command.input NOT ILIKE ${pattern} LIMIT ${MOST_BY_TEXT})
      LIMIT ${MOST_BY_TEXT}) found`)
  return rows[0]?.count ?? 0
}
