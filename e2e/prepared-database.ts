/**
 * Makes the files of an installation's own PostgreSQL once for all browser tests, migrated and
 * empty: to make them takes longer than all else that a start does. `startInstallation` begins with
 * a copy; what a first start makes of an empty machine is tried by `test/start.test.ts`.
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../apps/server/src/kernel/database/embedded.ts'
import { migrate } from '../apps/server/src/kernel/database/migrate.ts'

/** Where `startInstallation` finds the files; workers inherit it. */
export const PREPARED_DATABASE = 'PREPARED_DATABASE_OF_TESTS'

export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-prepared-'))
  const directory = join(folder, 'postgres')
  const server = await startEmbeddedPostgres({ directory, log: () => {} })
  const pool = new pg.Pool(server.connection)
  // It says that it has ended before its connections have: the server's end may come first.
  pool.on('error', () => {})
  try {
    await migrate(pool)
  } finally {
    await pool.end()
    await server.stop()
  }
  process.env[PREPARED_DATABASE] = directory
  return () => rm(folder, { recursive: true, force: true })
}

/** Lays them at that path, where they were made before; else the first start makes its own. */
export function copyPreparedDatabase(directory: string): void {
  const prepared = process.env[PREPARED_DATABASE]
  // They belong to the account that PostgreSQL runs as, and are private to it.
  if (prepared) execFileSync('cp', ['-a', prepared, directory])
}
