import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { rowsByCursor } from '../database/statements/cursor.ts'
import { notFound } from '../errors/app-error.ts'
import { isId, listConditions, orderOf, scopeOf } from './conditions.ts'
import { columnOf, type ReadContext, type RowSource, readableColumns, type StoredRow, selectionOf } from './mount.ts'
import { presentRows } from './present.ts'
import { type Page, wantedFields } from './query.ts'
import type { MountedResource } from './registry.ts'

export interface PageAnswer {
  count: number
  next: string | null
  previous: string | null
  results: Record<string, unknown>[]
}

/** The rows of a list call: the table by its conditions, or those that the mount supplies. */
export async function sourceOf(resource: MountedResource, context: ReadContext): Promise<RowSource> {
  const own = await resource.mount.source?.(context)
  if (own) return own
  const { where, narrowed } = await listConditions(resource, context)
  return {
    rows: (page) => selectRows(resource, where, context, page),
    batches: (size, limit) => cursorOf(resource, where, context, size, limit),
    count: () => countRows(resource, where, narrowed, context),
  }
}

/** One page of the list, and the number of all rows that match. */
export async function readPage(
  resource: MountedResource,
  context: ReadContext,
  page: Page,
  url: string,
): Promise<PageAnswer> {
  const source = await sourceOf(resource, context)
  const [rows, count] = await Promise.all([source.rows(page), source.count()])
  const results = await presentRows(resource, rows, wantedFields(resource.definition, context.query), context)
  return { count, ...neighbors(url, page, count), results }
}

/** Stored rows in the requested order, by a cursor of this transaction. */
async function* cursorOf(
  resource: MountedResource,
  where: SQL | undefined,
  context: ReadContext,
  size: number,
  limit: number,
): AsyncGenerator<StoredRow[]> {
  const { db } = context
  const { decode } = selectionOf(resource.mount)
  const page = Number.isFinite(limit) ? { limit, offset: 0 } : undefined
  for await (const rows of rowsByCursor<StoredRow>(db, statementOf(resource, where, context, page), size))
    yield rows.map(decode)
}

/** Stored rows in the requested order. */
export async function selectRows(
  resource: MountedResource,
  where: SQL | undefined,
  context: Pick<ReadContext, 'db' | 'query' | 'call'>,
  page?: Page,
): Promise<StoredRow[]> {
  const { rows } = await context.db.execute<StoredRow>(statementOf(resource, where, context, page))
  return rows.map(selectionOf(resource.mount).decode)
}

function statementOf(
  { definition, mount }: MountedResource,
  where: SQL | undefined,
  context: Pick<ReadContext, 'query' | 'call'>,
  page?: Page,
): SQL {
  const filtered = where ? sql` where ${where}` : sql``
  const order = orderOf({ definition, mount }, context)
  const cut = page ? sql` limit ${page.limit} offset ${page.offset}` : sql``
  return sql`${selectionOf(mount).select}${filtered} order by ${order}${cut}`
}

async function countRows(
  { mount }: MountedResource,
  where: SQL | undefined,
  isNarrowed: boolean,
  context: ReadContext,
): Promise<number> {
  const known = await mount.count?.(context, isNarrowed)
  if (known !== undefined) return known
  const [row] = await context.db.select({ count: sql<number>`count(*)::int` }).from(mount.table).where(where)
  return row?.count ?? 0
}

/** Addresses of the pages before and after; `url` is the request's own. */
export function neighbors(
  url: string,
  { limit, offset }: Page,
  count: number,
): { next: string | null; previous: string | null } {
  const { origin, pathname, search } = new URL(url)
  const at = (position: number) => {
    const query = new URLSearchParams(search)
    query.set('limit', String(limit))
    if (position > 0) query.set('offset', String(position))
    else query.delete('offset')
    return `${origin}${pathname}?${query}`
  }
  return {
    next: offset + limit < count ? at(offset + limit) : null,
    previous: offset > 0 ? at(Math.max(0, offset - limit)) : null,
  }
}

/** The stored row of that id, if this call may see it. */
export async function findStored<T extends PgTable>(
  resource: MountedResource<T>,
  id: string,
  context: ReadContext,
  lock = false,
): Promise<StoredRow<T> | undefined> {
  const { definition, mount } = resource
  if (!isId(definition, id)) return undefined
  const rows = db(context, mount)
    .where(and(eq(columnOf(mount.table, 'id'), id), scopeOf(resource, context)))
    .limit(1)
    .$dynamic()
  const [row] = await (lock ? rows.for('update') : rows)
  return row as StoredRow<T> | undefined
}

/** The same. Throws 404 where there is none. */
export async function getStored<T extends PgTable>(
  resource: MountedResource<T>,
  id: string,
  context: ReadContext,
  lock = false,
): Promise<StoredRow<T>> {
  const row = await findStored(resource, id, context, lock)
  if (!row) throw notFound()
  return row
}

const db = ({ db: database }: ReadContext, mount: MountedResource['mount']) =>
  database.select(readableColumns(mount)).from(mount.table).$dynamic()

/** The detail call. */
export async function retrieveRow(
  resource: MountedResource,
  id: string,
  context: ReadContext,
): Promise<Record<string, unknown>> {
  const stored = await getStored(resource, id, context)
  return presentOne(resource, stored, context)
}

/** One row with every field, as answered by create, update and retrieve. */
export async function presentOne(
  resource: MountedResource,
  stored: StoredRow,
  context: ReadContext,
): Promise<Record<string, unknown>> {
  const [row] = await presentAll(resource, [stored], context)
  return row ?? {}
}

/** Rows with every field, as answered by bulk calls. */
export async function presentAll(
  resource: MountedResource,
  stored: readonly StoredRow[],
  context: ReadContext,
): Promise<Record<string, unknown>[]> {
  return presentRows(resource, stored, wantedFields(resource.definition, context.query), context)
}
