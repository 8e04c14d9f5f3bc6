import { createHash, randomUUID } from 'node:crypto'
import { CHANGE_HEADER, IMPORT_HEADER } from '@sallyport/contract/resources/audits/undo.ts'
import { sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Call, isComponent } from '../access/call.ts'
import type { Database } from '../database/database.ts'

/** The change that a request makes, as undo knows it. */
export interface NamedChange {
  id: string
  /** The import that it is part of. */
  batch?: string
  /** The id of the change that it takes back. */
  undoes?: string
  /** Called once it is stored, where it can be taken back. */
  kept?(id: string): void
}

/**
 * Names the change of this transaction: from here on its rows are kept for undo (migration
 * `kernel_undo`). Nothing is kept of components and of jobs.
 */
export async function nameChange(
  db: Database,
  call: Call,
  { id, batch = '', undoes = '' }: NamedChange = { id: randomUUID() },
): Promise<void> {
  if (!call.user || isComponent(call)) return
  await db.execute(
    sql`SELECT set_config('sallyport.change', ${id}, true), set_config('sallyport.batch', ${batch}, true),
      set_config('sallyport.undoes', ${undoes}, true)`,
  )
}

/** A change of a request, whose answer says how it is taken back. */
export function changeOf(reply: FastifyReply): NamedChange {
  const id = randomUUID()
  const batch = batchOf(reply.request)
  return { id, ...(batch ? { batch } : {}), kept: () => void reply.header(CHANGE_HEADER, batch ?? id) }
}

/**
 * The id of the import that a request says to be part of: made of what the client chose and the
 * person, so that nobody adds changes to the imports of others.
 */
export function batchOf({ headers, call }: FastifyRequest): string | undefined {
  const chosen = headers[IMPORT_HEADER]
  if (typeof chosen !== 'string' || !UUID.test(chosen) || !call.user) return undefined
  const hash = createHash('sha256').update(`${call.user.id} ${chosen.toLowerCase()}`).digest('hex')
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `a${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-')
}
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * Does the work within the transaction of a change, and keeps nothing of it for undo: for secrets and
 * second factors of people.
 */
export async function notKept(db: Database, work: () => Promise<unknown>): Promise<void> {
  const { rows } = await db.execute<{ change: string | null }>(
    sql`SELECT current_setting('sallyport.change', true) AS change, set_config('sallyport.change', '', true)`,
  )
  await work()
  await db.execute(sql`SELECT set_config('sallyport.change', ${rows[0]?.change ?? ''}, true)`)
}

/** Whether rows were kept of the change, and a row of the operate log tells of it. */
export async function isKept(db: Database, change: string): Promise<boolean> {
  const { rows } = await db.execute<{ kept: boolean }>(
    sql`SELECT EXISTS (SELECT FROM kernel_undo_log WHERE change = ${change})
      AND EXISTS (SELECT FROM kernel_undo_row WHERE change = ${change}) AS kept`,
  )
  return rows[0]?.kept ?? false
}

/**
 * A change that a route of its own makes: runs the work in a transaction of which undo keeps the
 * rows, and says in the answer how it is taken back.
 */
export async function keepingChange<T>(
  db: Database,
  { call }: FastifyRequest,
  reply: FastifyReply,
  work: (tx: Database) => Promise<T>,
): Promise<T> {
  const change = changeOf(reply)
  const { done, kept } = await db.transaction(async (tx) => {
    await nameChange(tx, call, change)
    const done = await work(tx)
    return { done, kept: await isKept(tx, change.id) }
  })
  if (kept) change.kept?.(change.id)
  return done
}

/**
 * A change that a route makes in several transactions, as an import does: `begin` names each of them,
 * and `end` says in the answer how all of them are taken back.
 */
export function changeInParts(
  { call }: FastifyRequest,
  reply: FastifyReply,
): { begin(db: Database): Promise<void>; end(): void } {
  const batch = changeOf(reply).id
  return {
    begin: (db) => nameChange(db, call, { id: randomUUID(), batch }),
    end: () => void reply.header(CHANGE_HEADER, batch),
  }
}
