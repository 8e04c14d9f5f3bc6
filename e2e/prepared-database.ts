/**
 * Makes the files of an installation's own PostgreSQL once for all browser tests, migrated and
 * empty: to make them takes longer than all else that a start does. `startInstallation` begins with
 * a copy; what a first start makes of an empty machine is tried by `test/start.test.ts`.
 */
import { execFileSync } from 'node:child_process'
import { rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../apps/server/src/kernel/database/embedded.ts'
import { migrate } from '../apps/server/src/kernel/database/migrate.ts'
import { makeTemporaryFolder } from '../apps/server/test/temporary-folder.ts'

/** Where `startInstallation` finds the files; workers inherit it. */
export const PREPARED_DATABASE = 'PREPARED_DATABASE_OF_TESTS'

export default async function setup(): Promise<() => Promise<void>> {
  const folder = await makeTemporaryFolder()
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
  return async () => {
    await rm(directory, { recursive: true, force: true })
    // An installation may still be stopping there.
    await rmdir(folder).catch(() => {})
  }
}

/** Where installations keep their data: beside that database, which lies in memory where there is room. */
export function installationsFolder(): string {
  const prepared = process.env[PREPARED_DATABASE]
  return prepared ? dirname(prepared) : tmpdir()
}

/** Lays them at that path, where they were made before; else the first start makes its own. */
export function copyPreparedDatabase(directory: string): void {
  const prepared = process.env[PREPARED_DATABASE]
  // They belong to the account that PostgreSQL runs as, and are private to it.
  if (prepared) execFileSync('cp', ['-a', prepared, directory])
}
