import { AsyncLocalStorage } from 'node:async_hooks'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import type pg from 'pg'

type Database = Omit<NodePgDatabase, '$client'>

/** The part of a connection that statements need. */
type Client = Pick<pg.PoolClient, 'query'>

/** The transaction in which a call is tried out; nothing of it is ever committed. */
interface Preview {
  client: Client
  db: Database
  isOver: boolean
}

const current = new AsyncLocalStorage<Preview>()

/** A change is only tried out: nothing may leave the database, and nothing in it will stay. */
export const isPreviewing = (): boolean => current.getStore() !== undefined

/**
 * The transaction that all statements of a preview belong to; undefined where none is going on.
 * Throws in what a preview has left behind: it must not write for real.
 */
export function previewNow(): Preview | undefined {
  const preview = current.getStore()
  if (preview?.isOver) throw new Error('a preview goes on after its end')
  return preview
}

/** Ends a preview of what can't be taken back by ending a transaction. */
export class NoPreview extends Error {}

/** Throws NoPreview in a preview. */
export function refuseInPreview(): void {
  if (isPreviewing()) throw new NoPreview('this reaches beyond the transaction of a preview')
}

/** Thrown to end a transaction without keeping it. */
class RolledBack extends Error {}

/** Statements of a preview: each, and each wait for a lock that somebody else holds. Milliseconds. */
interface Limits {
  statement: number
  lock: number
}

/** For forms, which wait for it while somebody types. */
const OF_FORMS: Limits = { statement: 3000, lock: 1000 }

/**
 * Does the work in a transaction that is always rolled back, and answers what it answers. All
 * statements of `kernel.db` and `kernel.pool` meanwhile belong to it, and all of them see the
 * database as it was when it began.
 */
export async function inPreview<T>(
  pool: pg.Pool,
  work: (db: Database) => Promise<T>,
  limits: Limits = OF_FORMS,
): Promise<T> {
  const client = await pool.connect()
  try {
    const queue = inTurn(client)
    return await rolledBack(drizzle(queue as pg.PoolClient), (db) => within(queue, db, work), limits)
  } finally {
    client.release()
  }
}

/** Does the work and takes it back, within a preview; what was read of it stays known. */
export async function tryOut<T>(db: Database, work: (db: Database) => Promise<T>): Promise<T> {
  const { client } = previewNow() as Preview
  return rolledBack(db, (inner) => within(client, inner, work))
}

async function within<T>(client: Client, db: Database, work: (db: Database) => Promise<T>): Promise<T> {
  const preview: Preview = { client, db, isOver: false }
  return current.run(preview, async () => {
    try {
      return await work(db)
    } finally {
      preview.isOver = true
    }
  })
}

async function rolledBack<T>(db: Database, work: (db: Database) => Promise<T>, limits?: Limits): Promise<T> {
  const answer: { value?: T } = {}
  try {
    await db.transaction(async (inner) => {
      if (limits)
        await inner.execute(
          `SELECT set_config('statement_timeout', '${limits.statement}', true), set_config('lock_timeout', '${limits.lock}', true)`,
        )
      answer.value = await work(inner)
      throw new RolledBack()
    }, limits && { isolationLevel: 'repeatable read' })
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
  return answer.value as T
}

/** What asks several things of the pool at once asks them of one connection here. */
function inTurn(client: pg.PoolClient): Client {
  let last: Promise<unknown> = Promise.resolve()
  const query = (...parts: Parameters<pg.PoolClient['query']>) => {
    const next = last.then(() => client.query(...(parts as unknown as [string])))
    last = next.catch(() => {})
    return next
  }
  return { query: query as unknown as pg.PoolClient['query'] }
}
