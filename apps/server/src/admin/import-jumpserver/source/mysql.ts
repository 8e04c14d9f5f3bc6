import type { Connection, RowDataPacket } from 'mysql2/promise'
import { bareHost } from '../../../kernel/bare-host.ts'
import { judgedSocket } from './judged-socket.ts'
import type { Driver, SourceRow } from './source.ts'

const CONNECT_MS = 30_000

/** MySQL or MariaDB. All texts come as utf8mb4, whatever character set their table has. */
export async function openMysql(address: URL): Promise<Driver> {
  const { createConnection } = await import('mysql2/promise')
  const tls = address.searchParams.get('tls')
  const port = Number(address.port || 3306)
  const connection: Connection = await createConnection({
    host: bareHost(address.hostname),
    port,
    stream: () => judgedSocket(address.hostname, port),
    user: decodeURIComponent(address.username),
    password: decodeURIComponent(address.password),
    database: decodeURIComponent(address.pathname.slice(1)),
    charset: 'utf8mb4_general_ci',
    timezone: 'Z',
    // Values as texts: dates such as 0000-00-00 are none for JavaScript.
    dateStrings: true,
    jsonStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    multipleStatements: false,
    connectTimeout: CONNECT_MS,
    ...(tls === null
      ? {}
      : { ssl: { rejectUnauthorized: tls !== 'unverified', verifyIdentity: tls !== 'unverified' } }),
  })
  // One that breaks meanwhile is reported by the query that runs on it.
  connection.on('error', () => {})
  const query = async (sql: string, values: readonly string[]): Promise<SourceRow[]> => {
    const [rows] = await connection.query<RowDataPacket[]>(sql, [...values])
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value)])))
  }
  await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ')
  await connection.query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY')
  return {
    engine: 'mysql',
    parameter: () => '?',
    quote: (name) => `\`${name.replaceAll('`', '``')}\``,
    beginning: (column, characters) => `LEFT(${column}, ${characters})`,
    catalog: async () =>
      (await query(
        'SELECT table_name AS `table`, column_name AS `column`, data_type AS `type` FROM information_schema.columns WHERE table_schema = DATABASE()',
        [],
      )) as never,
    query,
    close: () => connection.end().catch(() => connection.destroy()),
  }
}

const textOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : Buffer.isBuffer(value) ? value.toString('utf8') : String(value)
