import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { PreparingClient } from './preparing-client.ts'

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

export function openDatabase(connection: pg.PoolConfig): OpenDatabase {
  const pool = new pg.Pool({
    max: POOL_SIZE,
    Client: PreparingClient,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    ...connection,
  })
  // An idle connection that breaks (the server restarted) is replaced at the next query; without a
  // listener, the error would end the process.
  pool.on('error', () => {})
  return { db: drizzle(pool), pool, close: () => pool.end() }
}
