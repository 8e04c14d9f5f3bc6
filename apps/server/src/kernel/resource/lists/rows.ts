import { type SQL, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReadContext } from '../mount.ts'
import { pageOf } from '../query.ts'
import { neighbors, type PageAnswer } from '../read.ts'
import { addressOf } from './list.ts'
import { sendParts } from './parts.ts'

/** Rows that no resource lists, each with its item of the answer. */
export interface Rows<R> {
  columns: SQL
  /** With its conditions. */
  from: SQL
  /** Tells any two rows apart. */
  order: SQL
  item(row: R): Record<string, unknown>
}

/** Answers a list as those of resources are: a page with `limit`, else an array, which is sent while it is read. */
export async function sendRows<R extends Record<string, unknown>>(
  { db, call, query }: Pick<ReadContext, 'db' | 'call' | 'query'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { columns, from, order, item }: Rows<R>,
): Promise<PageAnswer | unknown[] | FastifyReply> {
  const part = (limit: number | undefined, offset = 0) =>
    sql`SELECT ${columns} FROM ${from} ORDER BY ${order}${limit ? sql` LIMIT ${limit} OFFSET ${offset}` : sql``}`
  const page = pageOf(query)
  if (!page) return sendParts({ db, call }, reply, [], [{ statement: (limit) => part(limit), item }])
  const [{ rows }, counted] = await Promise.all([
    db.execute<R>(part(page.limit, page.offset)),
    db.execute<{ count: number }>(sql`SELECT count(*)::int AS count FROM ${from}`),
  ])
  const count = counted.rows[0]?.count ?? 0
  return { count, ...neighbors(addressOf(request), page, count), results: rows.map((row) => item(row as R)) }
}
