import type pg from 'pg'

/**
 * Does what several nodes that start together may not do at once: one after the other, on all nodes.
 * A node that dies meanwhile lets the next one in.
 * @param lock a number that no other work has
 */
export async function oneNodeAtATime<T>(
  pool: pg.Pool,
  lock: number,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [lock])
    return await work(client)
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [lock]).catch(() => {})
    client.release()
  }
}
