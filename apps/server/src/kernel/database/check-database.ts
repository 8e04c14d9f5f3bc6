import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { StartRefusal } from '../start-refusal.ts'
import { wordsOf } from './database-words.ts'
import { EXTENSIONS, NEWEST_POSTGRES, OLDEST_POSTGRES } from './postgres-versions.ts'

/** Time limit for an answer: a firewall that drops packets sends none at all. */
const CONNECT_MS = 60_000

const POOLED =
  'DATABASE_URL leads to a pool that gives each transaction a connection of its own (pool_mode = transaction of PgBouncer). ' +
  'Sallyport needs notifications, locks and prepared statements, which belong to a connection: ' +
  'set pool_mode = session for this database, or name PostgreSQL itself'

/** Clients by which it is tried whether connections are shared. */
const POOL_CLIENTS = 5

/**
 * Tries an external database before anything is read from it or written to it.
 * @returns what an operator should hear of, though it can be used: a sentence each
 * @throws StartRefusal in one line, without the password: it cannot be reached, lets nobody in, is
 *   too old, has another encoding, does not allow what migrations do, takes no writes, or is behind
 *   a pool that does not keep a client on its connection
 */
export async function checkDatabase(connectionString: string): Promise<string[]> {
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
    const warnings = await checkServer(client)
    await checkPool(client, connect)
    return warnings
  } catch (error) {
    if (error instanceof StartRefusal) throw error
    throw new StartRefusal(`The database of DATABASE_URL cannot be used: ${wordsOf(error)}`, { cause: error })
  } finally {
    await Promise.all(opened.map((client) => client.end().catch(() => {})))
  }
}

interface Answers {
  version: string
  /** As 150018 for 15.18. */
  number: number
  database: string
  role: string
  encoding: string
  /** Whether letters besides those of ASCII are letters to it. */
  knows_letters: boolean
  writes: boolean
  /** Where tables are made; null where no schema of the search path is there. */
  schema: string | null
  may_create: boolean
  may_extend: boolean
  /** The owner of its tables, if those of an installation are there. */
  owner: string | null
  is_owner: boolean
  extensions: { name: string; is_there: boolean; is_available: boolean; hidden_in: string | null }[]
}

const QUESTIONS = `SELECT current_setting('server_version') AS version,
  current_setting('server_version_num')::int AS number,
  current_database() AS database, current_user AS role,
  current_setting('server_encoding') AS encoding,
  lower('É') = 'é' AS knows_letters,
  current_setting('transaction_read_only') = 'off' AS writes,
  current_schema() AS schema,
  coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create,
  has_database_privilege(current_database(), 'CREATE') AS may_extend,
  (SELECT relowner::regrole::text FROM pg_class WHERE oid = to_regclass('kernel_migration')) AS owner,
  coalesce((SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('kernel_migration')), true) AS is_owner,
  (SELECT json_agg(json_build_object('name', name, 'is_there', e.oid IS NOT NULL,
      'is_available', EXISTS (SELECT FROM pg_available_extensions a WHERE a.name = wanted.name),
      'hidden_in', CASE WHEN NOT e.extnamespace::regnamespace::text = ANY (current_schemas(true)) THEN e.extnamespace::regnamespace::text END))
    FROM unnest($1::text[]) AS wanted (name) LEFT JOIN pg_extension e ON e.extname = wanted.name) AS extensions`

async function checkServer(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<Answers>(QUESTIONS, [EXTENSIONS])
  const server = rows[0] as Answers
  const refusal = refusalOf(server)
  if (refusal) throw new StartRefusal(refusal)
  return warningsOf(server)
}

const majorOf = ({ number }: Answers) => Math.floor(number / 10_000)

/** The first obstacle. */
function refusalOf(server: Answers): string | undefined {
  const { database, role, schema, owner } = server
  if (majorOf(server) < OLDEST_POSTGRES)
    return `DATABASE_URL leads to PostgreSQL ${server.version}: Sallyport needs ${OLDEST_POSTGRES} or newer`
  if (server.encoding !== 'UTF8')
    return `The database ${database} of DATABASE_URL has the encoding ${server.encoding}, and Sallyport needs UTF8: make one by CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`
  if (!server.writes) return 'The database of DATABASE_URL takes no writes, as a standby: name the one that does'
  if (!schema)
    return `The account ${role} of DATABASE_URL has no schema to make tables in (search_path): make one, or name it by ALTER ROLE … SET search_path`
  if (!server.may_create)
    return `The account ${role} of DATABASE_URL may not make tables in the schema ${schema}: make it the owner of ${database} (ALTER DATABASE … OWNER TO), or GRANT CREATE ON SCHEMA ${schema}`
  if (!server.is_owner)
    return `The tables in ${database} belong to ${owner}, and the account ${role} of DATABASE_URL may not change them: name ${owner} in it, or give them by REASSIGN OWNED`
  for (const { name, is_there: isThere, is_available: isAvailable, hidden_in: hiddenIn } of server.extensions) {
    if (hiddenIn)
      return `The extension ${name} of ${database} is in the schema ${hiddenIn}, which ${role} does not search: ALTER EXTENSION ${name} SET SCHEMA ${schema}, or add it to the search_path of ${role}`
    if (!isThere && !isAvailable)
      return `The PostgreSQL of DATABASE_URL does not have the extension ${name}: install the package with its additional modules (postgresql-contrib), or allow it at your provider`
    if (!isThere && !server.may_extend)
      return `The account ${role} of DATABASE_URL may not make the extension ${name} in ${database}: make it the owner of the database, or run CREATE EXTENSION ${name} there as one who may`
  }
  return undefined
}

function warningsOf(server: Answers): string[] {
  const warnings: string[] = []
  if (majorOf(server) > NEWEST_POSTGRES)
    warnings.push(
      `DATABASE_URL leads to PostgreSQL ${server.version}: this Sallyport has been tried with ${OLDEST_POSTGRES} to ${NEWEST_POSTGRES}`,
    )
  if (!server.knows_letters)
    warnings.push(
      `The database ${server.database} of DATABASE_URL has the character type C, which knows the letters a to z alone: capital and small ones of other alphabets differ to it, and searches among Chinese names read whole tables. One of LC_CTYPE 'C.UTF-8' does not`,
    )
  return warnings
}

/**
 * The settings of a client last as long as it keeps its connection. Several clients set a mark one
 * after the other. Then the last is asked first whether it has its own, and keeps its connection in
 * a transaction while the next one is asked. A pool by transactions has given them all the same few
 * connections, where later marks replaced the earlier ones, or takes connections in turns, and then
 * in another order. Another user of the pool does not change that.
 */
async function checkPool(first: pg.Client, connect: () => Promise<pg.Client>): Promise<void> {
  const clients = [first]
  while (clients.length < POOL_CLIENTS) clients.push(await connect())
  const marks = clients.map(() => randomUUID())
  for (const [place, client] of clients.entries())
    await client.query(`SELECT set_config('sallyport.mark', $1, false)`, [marks[place]])
  for (const [place, client] of [...clients.entries()].reverse()) {
    await client.query('BEGIN')
    const { rows } = await client.query(`SELECT current_setting('sallyport.mark', true) AS mark`)
    if (rows[0].mark !== marks[place]) throw new StartRefusal(POOLED)
  }
}
