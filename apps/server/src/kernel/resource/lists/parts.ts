import type { SQL } from 'drizzle-orm'
import type { FastifyReply } from 'fastify'
import { rowsByCursor } from '../../database/statements/cursor.ts'
import type { ReadContext } from '../mount.ts'
import { BATCH, sendArray } from './batches.ts'

/** Rows of a statement, each as its item of the answer. */
export interface Part {
  /** @param limit rows at most; undefined for all */
  statement(limit?: number): SQL
  item(row: never): unknown
}

/**
 * Answers an array of items that no resource lists, such as a tree: `head`, then the parts. A long one
 * is sent while it is read.
 */
export async function sendParts(
  { db, call }: Pick<ReadContext, 'db' | 'call'>,
  reply: FastifyReply,
  head: readonly unknown[],
  parts: readonly Part[],
): Promise<unknown[] | FastifyReply> {
  const items = [...head]
  let left = BATCH
  for (const { statement, item } of parts) {
    const { rows } = await db.execute(statement(left + 1))
    if (rows.length > left)
      return sendArray(call, reply, (take) =>
        db.transaction(
          async (inside) => {
            await take(head)
            for (const part of parts)
              for await (const batch of rowsByCursor(inside, part.statement(), BATCH))
                await take(batch.map((row) => part.item(row as never)))
          },
          { isolationLevel: 'repeatable read', accessMode: 'read only' },
        ),
      )
    left -= rows.length
    items.push(...rows.map((row) => item(row as never)))
  }
  return items
}
