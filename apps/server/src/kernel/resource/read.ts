import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { notFound } from '../errors/app-error.ts'
import { isId, listConditions, orderOf, scopeOf } from './conditions.ts'
import { columnOf, type ReadContext, type RowSource, readableColumns, type StoredRow, selectionOf } from './mount.ts'
import { presentRows } from './present.ts'
import { type Page, pageOf, wantedFields } from './query.ts'
import type { MountedResource } from './registry.ts'

export interface PageAnswer {
  count: number
  next: string | null
  previous: string | null
  results: Record<string, unknown>[]
}

/**
 * The list call: a bare array without `limit`, an envelope with it, as old clients expect
 * (contract/assets.yaml conventions). `url` is the request's own address, for the links to other
 * pages.
 */
export async function listRows(
  resource: MountedResource,
  context: ReadContext,
  url: string,
): Promise<PageAnswer | Record<string, unknown>[]> {
  const page = pageOf(context.query)
  if (page) return readPage(resource, context, page, url)
  const source = await sourceOf(resource, context)
  const fields = wantedFields(resource.definition, context.query)
  return presentRows(resource, await source.rows(), fields, context)
}

/** What a list call reads: the table by its conditions, or what the mount has instead. */
export async function sourceOf(resource: MountedResource, context: ReadContext): Promise<RowSource> {
  const own = await resource.mount.source?.(context)
  if (own) return own
  const { where, narrowed } = await listConditions(resource, context)
  return {
    rows: (page) => selectRows(resource, where, context, page),
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
  return { count, ...neighbours(url, page, count), results }
}

/** Stored rows in the requested order. */
export async function selectRows(
  { definition, mount }: MountedResource,
  where: SQL | undefined,
  { db, query, call }: Pick<ReadContext, 'db' | 'query' | 'call'>,
  page?: Page,
): Promise<StoredRow[]> {
  const { columns, decode } = selectionOf(mount.table)
  const filtered = where ? sql` where ${where}` : sql``
  const order = sql.join(orderOf({ definition, mount }, { query, call }), sql`, `)
  const cut = page ? sql` limit ${page.limit} offset ${page.offset}` : sql``
  const { rows } = await db.execute<StoredRow>(
    sql`select ${columns} from ${mount.table}${filtered} order by ${order}${cut}`,
  )
  return rows.map(decode)
}

async function countRows(
  { mount }: MountedResource,
  where: SQL | undefined,
  narrowed: boolean,
  context: ReadContext,
): Promise<number> {
  const known = await (narrowed ? mount.countNarrowed?.(context) : mount.count?.(context))
  if (known !== undefined) return known
  const [row] = await context.db.select({ count: sql<number>`count(*)::int` }).from(mount.table).where(where)
  return row?.count ?? 0
}

/** Addresses of the pages before and after; `url` is the request's own. */
export function neighbours(
  url: string,
  { limit, offset }: Page,
  count: number,
): { next: string | null; previous: string | null } {
  const at = (position: number) => {
    const address = new URL(url)
    address.searchParams.set('limit', String(limit))
    if (position > 0) address.searchParams.set('offset', String(position))
    else address.searchParams.delete('offset')
    return address.href
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
  database.select(readableColumns(mount.table)).from(mount.table).$dynamic()

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
