import type pg from 'pg'

/** Does the work in one transaction of this connection; what it throws undoes all of it. */
export async function inTransaction<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN')
  try {
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    // A connection that is lost can't: the server does it.
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}
