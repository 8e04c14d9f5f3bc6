import type pg from 'pg'

/**
 * Does something with the recording of a session that only one node may do at a time: one after the
 * other, over all nodes. A node that dies lets the next one in.
 */
export async function withRecordingLock<T>(pool: pg.Pool, sessionId: string, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect()
  const key = [`recording of ${sessionId}`]
  try {
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', key)
    return await work()
  } finally {
    await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', key).catch(() => {})
    client.release()
  }
}

/** Like that, but answers false at once, with nothing done, while another node is at it. */
export async function ifNobodyRebuilds(pool: pg.Pool, sessionId: string, work: () => Promise<void>): Promise<boolean> {
  const client = await pool.connect()
  const key = [`rebuilding of ${sessionId}`]
  try {
    const { rows } = await client.query<{ ours: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS ours',
      key,
    )
    if (rows[0]?.ours) await work()
    return rows[0]?.ours === true
  } finally {
    await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', key).catch(() => {})
    client.release()
  }
}
