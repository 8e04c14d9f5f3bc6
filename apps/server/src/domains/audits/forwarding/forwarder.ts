import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { asc, inArray, sql } from 'drizzle-orm'
import type { Call } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { type ReadContext, type StoredRow, selectionOf } from '../../../kernel/resource/mount.ts'
import { presentRows } from '../../../kernel/resource/present.ts'
import { resourcesOf } from '../../../kernel/resource/registry.ts'
import { StartRefusal } from '../../../kernel/start-refusal.ts'
import { settingsOf } from '../../settings/index.ts'
import { EVENT_CATEGORIES, type EventCategory } from '../event-category.ts'
import { auditsForwarding, auditsOutbox } from '../tables.ts'
import { type Destination, deliver } from './deliver.ts'
import { type AuditEvent, messageOf, type Sender } from './message.ts'

/** Events that may wait; of more, the oldest are dropped and counted. */
export const MAX_WAITING = 100_000
const BATCH = 200
const VERSION = '0.1.0'

/** Where events go, by the settings of the installation; undefined: nowhere. Throws StartRefusal for what is no address. */
export function destinationOf(kernel: Kernel): Destination | undefined {
  const settings = settingsOf(kernel)
  const address = settings.get('SYSLOG_ADDR')
  if (!address) return undefined
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(address) ?? []
  const host = bracketed ?? plain
  if (!host || Number(port) < 1 || Number(port) > 65_535)
    throw new StartRefusal(`SYSLOG_ADDR must be a host and a port, such as 10.0.0.9:514, and not "${address}"`)
  const file = settings.get('SYSLOG_CA_FILE')
  return {
    host,
    port: Number(port),
    transport: settings.get('SYSLOG_TRANSPORT'),
    format: settings.get('SYSLOG_FORMAT'),
    ca: file ? readAuthority(file) : undefined,
  }
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new StartRefusal(`SYSLOG_CA_FILE names a file that cannot be read: ${file}`, { cause })
  }
}

/** Has the database note events from now on, or no more. */
export async function noteEvents(db: Database, isOn: boolean): Promise<void> {
  await db.update(auditsForwarding).set({ is_on: isOn }).where(sql`is_on <> ${isOn}`)
}

/**
 * Delivers what waits, oldest first, a batch at a time; one node does. An event is removed once its
 * delivery is confirmed, so that one may come twice and none is lost but those beyond the bound.
 * Answers whether more may wait.
 */
export async function forwardBatch(kernel: Kernel, to: Destination, mostWaiting = MAX_WAITING): Promise<boolean> {
  return kernel.db.transaction(async (db) => {
    const { rows: lock } = await db.execute<{ mine: boolean }>(
      sql`SELECT pg_try_advisory_xact_lock(hashtextextended('audits.forwarding', 0)) AS mine`,
    )
    if (!lock[0]?.mine) return false
    await dropBeyond(db, mostWaiting)
    const rows = await db.select().from(auditsOutbox).orderBy(asc(auditsOutbox.number)).limit(BATCH)
    if (!rows.length) return false
    try {
      const sender: Sender = {
        host: hostname(),
        facility: settingsOf(kernel).get('SYSLOG_FACILITY'),
        version: VERSION,
      }
      const events = await eventsOf(kernel, db, rows)
      await deliver(
        to,
        events.map((event) => messageOf(event, to.format, sender)),
      )
    } catch (error) {
      await noteFailure(kernel, db, error)
      return false
    }
    const numbers = rows.map(({ number }) => number)
    await db.delete(auditsOutbox).where(inArray(auditsOutbox.number, numbers))
    await db.update(auditsForwarding).set({ sent: sql`sent + ${numbers.length}`, date_sent: new Date(), error: '' })
    return rows.length === BATCH
  })
}

async function dropBeyond(db: Database, most: number): Promise<void> {
  const { rowCount } = await db.execute(sql`DELETE FROM ${auditsOutbox} WHERE number <= (
    SELECT number FROM ${auditsOutbox} ORDER BY number DESC OFFSET ${most} LIMIT 1)`)
  if (rowCount) await db.update(auditsForwarding).set({ dropped: sql`dropped + ${rowCount}` })
}

async function noteFailure({ app }: Kernel, db: Database, error: unknown): Promise<void> {
  app.log.warn({ err: error }, 'audit events wait for the system that they are for')
  const words = error instanceof Error ? error.message : String(error)
  await db.update(auditsForwarding).set({ date_failed: new Date(), error: words.slice(0, 500) })
}

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
    return record ? [{ category, record, at }] : []
  })
}

async function recordsOf(context: ReadContext, category: EventCategory, noted: readonly Noted[]) {
  const name = EVENT_CATEGORIES[category]
  if (!name) return noted.map(({ body }) => body as Record<string, unknown>)
  const resource = resourcesOf(context.kernel).find(name)
  // Nothing may be taken for delivered that was not.
  if (!resource) throw new Error(`no resource for ${category}`)
  const { table } = resource.mount
  const { columns, decode } = selectionOf(table)
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
