import pg from 'pg'
import { JudgedSocket } from './judged-socket.ts'
import type { Driver, SourceRow } from './source.ts'

const CONNECT_MS = 30_000

/** Values as texts, as the server writes them. */
const TEXTS = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig

export async function openPostgres(address: URL): Promise<Driver> {
  const client = new pg.Client({
    connectionString: address.href,
    stream: () => new JudgedSocket(),
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'sallyport-import',
  })
  // One that breaks meanwhile is reported by the query that runs on it.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(`SET client_encoding TO 'UTF8'`)
    await client.query(`SET TimeZone TO 'UTC'`)
    await client.query(`SET DateStyle TO 'ISO'`)
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
  const query = async (text: string, values: readonly string[]): Promise<SourceRow[]> =>
    (await client.query({ text, values: [...values], types: TEXTS })).rows
  return {
    engine: 'postgres',
    parameter: (number) => `$${number}`,
    quote: (name) => pg.escapeIdentifier(name),
    beginning: (column, characters) => `left(${column}::text, ${characters})`,
    catalog: async () =>
      (await query(
        'SELECT table_name AS "table", column_name AS "column", data_type AS "type" FROM information_schema.columns WHERE table_schema = ANY (current_schemas(false))',
        [],
      )) as never,
    query,
    close: () => client.end(),
  }
}
