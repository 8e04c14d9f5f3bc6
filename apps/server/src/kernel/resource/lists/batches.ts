import type { FastifyReply } from 'fastify'
import type { Call } from '../../access/call.ts'
import { refused } from '../../errors/app-error.ts'
import { producedStream } from '../../produced-stream.ts'
import type { ReadContext, RowSource, StoredRow } from '../mount.ts'
import { presentRows } from '../present.ts'
import { sourceOf } from '../read.ts'
import type { MountedResource } from '../registry.ts'

type WireRow = Record<string, unknown>

/**
 * Rows read and presented at a time, so that a long list occupies neither the memory nor the event
 * loop for long.
 */
export const BATCH = 500
/** Rows of a list that has no cursor, as those of several storages: each of its pages looks through all before it. */
const MAX_PAGED = 200_000

/** The steps for rows as they are read. */
export interface Taking {
  /** Before the first row; `count` is how many there will be. */
  begin?(count: number): Promise<void>
  take(rows: WireRow[]): Promise<void>
}

/**
 * Reads a list of any length as it is at one moment: rows that are added or deleted meanwhile are
 * neither doubled nor missed. Throws 400 for a list without a cursor that is too long.
 */
export async function readBatches(
  resource: MountedResource,
  context: ReadContext,
  { fields, limit = Number.POSITIVE_INFINITY }: { fields: readonly string[]; limit?: number },
  { begin, take }: Taking,
): Promise<void> {
  await context.db.transaction(
    async (db) => {
      const inside = { ...context, db }
      const source = await sourceOf(resource, inside)
      await begin?.(Math.min(limit, await source.count()))
      for await (const stored of source.batches?.(BATCH, limit) ?? pagesOf(source, limit))
        await take(await presentRows(resource, stored, fields, inside))
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

async function* pagesOf(source: RowSource, limit: number): AsyncGenerator<StoredRow[]> {
  for (let offset = 0; offset < limit; offset += BATCH) {
    const stored = await source.rows({ limit: Math.min(BATCH, limit - offset), offset })
    if (stored.length) yield stored
    if (stored.length < BATCH) return
    if (offset >= MAX_PAGED)
      throw refused('too_large', 'A list of this kind holds at most 200000 rows: narrow it by filters.')
  }
}

/** Answers a list of any length as a bare array, while it is read. */
export async function sendAll(
  resource: MountedResource,
  context: ReadContext,
  fields: readonly string[],
  reply: FastifyReply,
): Promise<FastifyReply> {
  return sendArray(context.call, reply, (take) => readBatches(resource, context, { fields }, { take }))
}

/** Answers an array of any length while it is made; `produce` hands over its elements, some at a time. */
export async function sendArray(
  call: Pick<Call, 'user' | 'remoteAddress'>,
  reply: FastifyReply,
  produce: (take: (items: readonly unknown[]) => Promise<void>) => Promise<void>,
): Promise<FastifyReply> {
  const stream = await producedStream(call.user?.id ?? call.remoteAddress, async (write) => {
    let before = '['
    await produce(async (items) => {
      if (!items.length) return
      await write(before + JSON.stringify(items).slice(1, -1))
      before = ','
    })
    await write(before === '[' ? '[]' : ']')
  })
  return reply.type('application/json; charset=utf-8').send(stream)
}
