import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { and, asc, eq, inArray, ne, sql } from 'drizzle-orm'
import type { Call } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { type ReadContext, type StoredRow, selectionOf } from '../../../kernel/resource/mount.ts'
import { presentRows } from '../../../kernel/resource/present.ts'
import { resourcesOf } from '../../../kernel/resource/registry.ts'
import { EVENT_CATEGORIES, type EventCategory } from '../event-category.ts'
import { auditsForwarding, auditsOutbox } from '../tables.ts'
import type { AuditEvent } from './message.ts'
import type { Target } from './targets.ts'

/** Events that may wait for each system; of more, the oldest are dropped and counted. */
export const MAX_WAITING = 100_000
const BATCH = 200

/** Has the database note events for these systems from now on, and for no other any more. */
export async function noteEvents(db: Database, targets: readonly Target['name'][]): Promise<void> {
  const { target, is_on } = auditsForwarding
  const isOn = targets.length ? inArray(target, [...targets]) : sql`false`
  await db.update(auditsForwarding).set({ is_on: isOn }).where(ne(is_on, isOn))
}

/**
 * Delivers what waits for a system, oldest first, a batch at a time; one node does. An event is removed
 * once its delivery is confirmed, so that one may come twice and none is lost but those beyond the
 * bound. Answers whether more may wait, or `failed`.
 */
export async function forwardBatch(
  kernel: Kernel,
  to: Target,
  mostWaiting = MAX_WAITING,
): Promise<'more' | 'done' | 'failed'> {
  const isTo = eq(auditsForwarding.target, to.name)
  return kernel.db.transaction(async (db) => {
    const { rows: lock } = await db.execute<{ mine: boolean }>(
      sql`SELECT pg_try_advisory_xact_lock(hashtextextended(${`audits.forwarding.${to.name}`}, 0)) AS mine`,
    )
    if (!lock[0]?.mine) return 'done'
    await dropBeyond(db, to.name, mostWaiting)
    const { number, target } = auditsOutbox
    const rows = await db.select().from(auditsOutbox).where(eq(target, to.name)).orderBy(asc(number)).limit(BATCH)
    if (!rows.length) return 'done'
    try {
      await to.tell(await eventsOf(kernel, db, rows))
    } catch (error) {
      await noteFailure(kernel, db, to.name, error)
      return 'failed'
    }
    const numbers = rows.map((row) => row.number)
    await db.delete(auditsOutbox).where(and(eq(target, to.name), inArray(number, numbers)))
    await db
      .update(auditsForwarding)
      .set({ sent: sql`sent + ${numbers.length}`, date_sent: new Date(), error: '' })
      .where(isTo)
    return rows.length === BATCH ? 'more' : 'done'
  })
}

async function dropBeyond(db: Database, target: Target['name'], most: number): Promise<void> {
  const { rowCount } = await db.execute(sql`DELETE FROM ${auditsOutbox} WHERE target = ${target} AND number <= (
    SELECT number FROM ${auditsOutbox} WHERE target = ${target} ORDER BY number DESC OFFSET ${most} LIMIT 1)`)
  if (rowCount)
    await db
      .update(auditsForwarding)
      .set({ dropped: sql`dropped + ${rowCount}` })
      .where(eq(auditsForwarding.target, target))
}

async function noteFailure({ app }: Kernel, db: Database, target: Target['name'], error: unknown): Promise<void> {
  app.log.warn({ err: error, target }, 'audit events wait for the system that they are for')
  await db
    .update(auditsForwarding)
    .set({ date_failed: new Date(), error: wordsOf(error) })
    .where(eq(auditsForwarding.target, target))
}

/** What went wrong with a delivery, as people read it. */
export const wordsOf = (error: unknown) =>
  (error instanceof Error ? error.message || error.name : String(error)).slice(0, 500)

type Noted = typeof auditsOutbox.$inferSelect

/** In the order in which they were noted, each as its resource answers it, in English and UTC. */
async function eventsOf(kernel: Kernel, db: Database, noted: readonly Noted[]): Promise<AuditEvent[]> {
  const records = new Map<number, Record<string, unknown>>()
  const context: ReadContext = { kernel, db, call: NOBODY, parameters: {}, query: {} }
  for (const [category, some] of Map.groupBy(noted, (one) => one.category))
    for (const [index, record] of (await recordsOf(context, category, some)).entries()) {
      const number = some[index]?.number
      if (number !== undefined) records.set(number, record)
    }
  return noted.flatMap(({ number, category, date_created: at }) => {
    const record = records.get(number)
    return record ? [{ number, category, record, at }] : []
  })
}

async function recordsOf(context: ReadContext, category: EventCategory, noted: readonly Noted[]) {
  const name = EVENT_CATEGORIES[category]
  if (!name) return noted.map(({ body }) => body as Record<string, unknown>)
  const resource = resourcesOf(context.kernel).find(name)
  // Nothing may be taken for delivered that was not.
  if (!resource) throw new Error(`no resource for ${category}`)
  const { table } = resource.mount
  const { columns, decode } = selectionOf(resource.mount)
  const bodies = JSON.stringify(noted.map(({ body }) => body))
  const { rows } = await context.db.execute<StoredRow>(sql`
    SELECT ${columns} FROM jsonb_array_elements(${bodies}::jsonb) WITH ORDINALITY AS given (body, position)
    CROSS JOIN LATERAL jsonb_populate_record(NULL::${table}, given.body) AS ${table} ORDER BY given.position`)
  const fields = Object.entries(resource.definition.fields).flatMap(([name, field]) => (field.writeOnly ? [] : [name]))
  return presentRows(resource, rows.map(decode), fields, context)
}

/** Whom records are presented for. */
const NOBODY: Call = {
  user: undefined,
  via: undefined,
  sessionId: undefined,
  org: { id: ROOT_ORG_ID, name: '' },
  orgRoles: [],
  language: 'en',
  timeZone: 'UTC',
  remoteAddress: '',
}
