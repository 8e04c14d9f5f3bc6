import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { noteLostConnection } from './lost-connection.ts'
import { PreparingClient, type WatchesRefusals } from './preparing-client.ts'
import { previewNow, refuseInPreview } from './previewing.ts'
import { watchRoom } from './room.ts'

/** Where a database server is that is reached by TCP. */
export function databaseAddress(config: pg.PoolConfig): { host: string; port: number } | undefined {
  const { host, port } = new pg.Client(config)
  return host.startsWith('/') ? undefined : { host, port }
}

/** A connection pool or a transaction on it: what queries run on. */
export type Database = Omit<NodePgDatabase, '$client'>

export interface OpenDatabase {
  db: Database
  pool: pg.Pool
  close(): Promise<void>
}

/**
 * Connections of one node. A request holds at most two at a time; the pool's time-out bounds
 * waiting for one.
 */
const POOL_SIZE = 20
const CONNECTION_TIMEOUT_MS = 10_000
/** A new connection knows no statement and none of the tables: its first ones take ten times as long. */
const IDLE_TIMEOUT_MS = 60_000

export function openDatabase(connection: pg.PoolConfig): OpenDatabase {
  const options: pg.PoolConfig & WatchesRefusals = {
    max: POOL_SIZE,
    Client: PreparingClient,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    onRefusal: (refusal) => watchRoom(pool, refusal),
    ...connection,
  }
  const pool = new pg.Pool(options)
  // A connection that breaks (the server restarted) tells the query that runs on it, and is replaced
  // at the next one. Without listeners, the error would also end the process: that of an idle
  // connection, and that of one which is held, for a transaction or a lock.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', noteLostConnection))
  leadPreviews(pool)
  const db = drizzle(pool)
  db.transaction = transactionsOn(pool)
  return { db, pool, close: () => pool.end() }
}

/**
 * Transactions that give their connection back whatever happens. drizzle's own keep it when BEGIN
 * fails, so that a database which goes away would cost a place in the pool for each.
 */
function transactionsOn(pool: pg.Pool): Database['transaction'] {
  return async (work, config) => {
    const preview = previewNow()
    if (preview) return preview.db.transaction(work)
    const client = await pool.connect()
    try {
      return await drizzle(client).transaction(work, config)
    } finally {
      client.release()
    }
  }
}

/**
 * Statements of a call that is only tried out go to its transaction. A connection of its own would
 * write for real.
 */
function leadPreviews(pool: pg.Pool): void {
  const [query, connect] = [pool.query.bind(pool), pool.connect.bind(pool)]
  // biome-ignore lint/suspicious/noExplicitAny: pg's own signatures pass through unchanged
  pool.query = (...parts: any[]): any => {
    const client = previewNow()?.client
    return client ? client.query(...(parts as [string])) : query(...(parts as [string]))
  }
  // biome-ignore lint/suspicious/noExplicitAny: as above
  pool.connect = (...parts: any[]): any => {
    refuseInPreview()
    return connect(...(parts as []))
  }
}
