import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import type { Database } from '../database/database.ts'
import { isPreviewing } from '../database/previewing.ts'

/**
 * Announces `domain.happened` on all nodes as soon as the transaction is committed, and never when
 * it is not.
 */
export async function publishIn(db: Database, name: string, payload: Record<string, unknown>): Promise<void> {
  await publishAllIn(db, name, [payload])
}

/** Several of them, in one statement. */
export async function publishAllIn(
  db: Database,
  name: string,
  payloads: readonly Record<string, unknown>[],
): Promise<void> {
  if (!payloads.length) return
  const texts = payloads.map((payload) => JSON.stringify({ ...payload, name }))
  await db.execute(sql`SELECT pg_notify(${CHANNEL}, one) FROM unnest(${sql.param(texts)}::text[]) one`)
}

/**
 * Events between nodes, and between parts of one node, over PostgreSQL LISTEN/NOTIFY. Payloads are
 * small (8000 bytes at most): ids, never rows, never secrets.
 */
export interface Events {
  /** Announces `domain.happened` on all nodes, at once; inside a transaction use `publishIn`. */
  publish(name: string, payload: Record<string, unknown>): Promise<void>
  /** Calls `listener` for that event of any node, also this one. Returns how to stop. */
  subscribe(name: string, listener: (payload: Record<string, unknown>) => void): () => void
  close(): Promise<void>
}

const CHANNEL = 'sallyport'
const RECONNECT_MS = 1000

/** Told on this node alone, after a time in which events may have been missed. */
export const RECONNECTED = 'events.reconnected'

/**
 * Opens the listening connection, which reconnects by itself. Events sent meanwhile are lost:
 * listeners either use them only to be quicker, or look again after `RECONNECTED`.
 */
export async function openEvents(pool: pg.Pool, connection: pg.ClientConfig, log: FastifyBaseLogger): Promise<Events> {
  const listeners = new Map<string, Set<(payload: Record<string, unknown>) => void>>()
  let closed = false
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined

  const tell = (name: string, payload: Record<string, unknown>) => {
    for (const listener of listeners.get(name) ?? []) {
      try {
        listener(payload)
      } catch (error) {
        log.error({ err: error, event: name }, 'event listener failed')
      }
    }
  }
  const connect = async () => {
    const next = new pg.Client(connection)
    next.on('notification', ({ payload }) => {
      const { name = '', ...rest } = JSON.parse(payload ?? '{}') as { name?: string }
      tell(name, rest)
    })
    // The caller that awaits it gets the error.
    next.on('error', () => {})
    await next.connect()
    try {
      await next.query(`LISTEN ${CHANNEL}`)
    } catch (error) {
      await next.end().catch(() => {})
      throw error
    }
    if (closed) return next.end()
    // Only of a connection that stood: one that never did is tried again by who wanted it, once.
    next.once('end', reconnect)
    const isFirst = client === undefined
    client = next
    if (!isFirst) tell(RECONNECTED, {})
  }
  const reconnect = () => {
    if (!closed) timer = setTimeout(() => void connect().catch(retry), RECONNECT_MS)
  }
  const retry = (error: unknown) => {
    log.warn({ err: error }, 'event connection failed, trying again')
    reconnect()
  }
  await connect()

  return {
    async publish(name, payload) {
      if (isPreviewing()) return
      await pool.query('SELECT pg_notify($1, $2)', [CHANNEL, JSON.stringify({ ...payload, name })])
    },
    subscribe(name, listener) {
      const set = listeners.get(name) ?? new Set()
      listeners.set(name, set.add(listener))
      return () => set.delete(listener)
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await client?.end()
    },
  }
}
