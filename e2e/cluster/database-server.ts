/** A PostgreSQL of its own that several nodes share, and that can be away for a while. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../apps/server/src/kernel/database/embedded.ts'
import { copyPreparedDatabase } from '../prepared-database.ts'

export interface DatabaseServer {
  /** For DATABASE_URL. */
  url: string
  /** Its address, on this computer alone. */
  socket: string
  /** For the DATABASE_URL of a node that comes to that socket by a port of 127.0.0.1. */
  urlAt(port: number): string
  /** Ends it, with every connection, as an administrator's restart does. */
  shutDown(): Promise<void>
  startAgain(): Promise<void>
  /** Ends it, and removes its files. */
  stop(): Promise<void>
}

export async function startDatabaseServer(): Promise<DatabaseServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-pg-'))
  const directory = join(folder, 'postgres')
  copyPreparedDatabase(directory)
  // Three nodes with their pools, and the tests' own.
  const start = () => startEmbeddedPostgres({ directory, log: () => {}, settings: { max_connections: '150' } })
  let running = await start()
  const { host, port, user, database } = running.connection
  return {
    url: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`,
    socket: `${host}/.s.PGSQL.${port}`,
    urlAt: (other) => `postgres://${user}@127.0.0.1:${other}/${database}`,
    shutDown: () => running.stop(),
    async startAgain() {
      running = await start()
    },
    async stop() {
      await running.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
