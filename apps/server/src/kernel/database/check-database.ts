import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { StartRefusal } from '../start-refusal.ts'
import { wordsOf } from './database-words.ts'

/** Time limit for an answer: a firewall that drops packets sends none at all. */
const CONNECT_MS = 60_000

const POOLED =
  'DATABASE_URL leads to a pool that gives each transaction a connection of its own (pool_mode = transaction of PgBouncer). ' +
  'Sallyport needs notifications, locks and prepared statements, which belong to a connection: ' +
  'set pool_mode = session for this database, or name PostgreSQL itself'

/**
 * Tries an external database before anything is read from it or written to it.
 * @throws StartRefusal in one line, without the password: it cannot be reached, lets nobody in, is
 *   too old, takes no writes, or is behind a pool that does not keep a client on its connection
 */
export async function checkDatabase(connectionString: string): Promise<void> {
  const opened: pg.Client[] = []
  const connect = async () => {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS })
    client.on('error', () => {})
    opened.push(client)
    await client.connect()
    return client
  }
  try {
    const client = await connect()
    await checkServer(client)
    await checkPool(client, connect)
  } catch (error) {
    if (error instanceof StartRefusal) throw error
    throw new StartRefusal(`The database of DATABASE_URL cannot be used: ${wordsOf(error)}`, { cause: error })
  } finally {
    await Promise.all(opened.map((client) => client.end().catch(() => {})))
  }
}

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string; fits: boolean; writes: boolean }>(
    `SELECT current_setting('server_version') AS version, to_regprocedure('uuidv7()') IS NOT NULL AS fits,
       current_setting('transaction_read_only') = 'off' AS writes`,
  )
  const [server] = rows
  if (!server?.fits) throw new StartRefusal(`DATABASE_URL leads to PostgreSQL ${server?.version}: Sallyport needs 18`)
  if (!server.writes)
    throw new StartRefusal('The database of DATABASE_URL takes no writes, as a standby: name the one that does')
}

/**
 * The settings of a client last as long as it keeps its connection. Between two statements of one
 * client, another takes a connection: a pool by transactions gives it the first client's
 * connection, or, where connections take turns, continues the first client on another one.
 */
async function checkPool(client: pg.Client, connect: () => Promise<pg.Client>): Promise<void> {
  const mark = randomUUID()
  const markOf = async (one: pg.Client) =>
    (await one.query<{ mark: string | null }>(`SELECT current_setting('sallyport.mark', true) AS mark`)).rows[0]?.mark
  const other = await connect()
  await client.query(`SELECT set_config('sallyport.mark', $1, false)`, [mark])
  await other.query('BEGIN')
  const isShared = (await markOf(other)) === mark || (await markOf(client)) !== mark
  await other.query('ROLLBACK')
  if (isShared) throw new StartRefusal(POOLED)
}
