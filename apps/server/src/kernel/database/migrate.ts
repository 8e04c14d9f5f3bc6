import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { StartRefusal } from '../start-refusal.ts'
import { oneNodeAtATime } from './locks.ts'
import { RENAMED_MIGRATIONS } from './renamed-migrations.ts'

const FOLDER = fileURLToPath(new URL('../../../migrations/', import.meta.url))
/** Any number of our own. */
const ADVISORY_LOCK = 7_255_709

/**
 * Applies the migrations that this database has not seen, in order of their file names, each in a
 * transaction of its own. Which it has seen is known by name alone: one that was written on a
 * branch and arrives after newer ones still runs. Throws, naming the file, when one fails; what
 * came before it stays applied. Throws StartRefusal, with nothing done, where the database has seen
 * more than this program has: it would work on tables that it does not know.
 * @returns the names of those that were applied now
 */
export async function migrate(pool: pg.Pool, folder = FOLDER): Promise<string[]> {
  return oneNodeAtATime(pool, ADVISORY_LOCK, async (client) => {
    await client.query('CREATE EXTENSION IF NOT EXISTS ltree')
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_trgm')
    await client.query(
      'CREATE TABLE IF NOT EXISTS kernel_migration (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    )
    await tellNewNames(client)
    const { rows } = await client.query<{ name: string }>('SELECT name FROM kernel_migration')
    const applied = new Set(rows.map((row) => row.name))
    const own = new Set((await readdir(folder)).filter((name) => name.endsWith('.sql')))
    refuseNewerDatabase([...applied].filter((name) => !own.has(name)).sort())
    const pending = [...own].filter((name) => !applied.has(name)).sort()
    for (const name of pending) await applyMigration(client, folder, name)
    return pending
  })
}

function refuseNewerDatabase(unknown: readonly string[]): void {
  const newest = unknown.at(-1)?.replace('.sql', '')
  if (newest)
    throw new StartRefusal(
      `This Sallyport is older than its database, which a newer one has migrated (to ${newest}): start that one or a newer one, or restore the backup of the database from before the upgrade`,
    )
}

async function tellNewNames(client: pg.PoolClient): Promise<void> {
  await client.query(
    `UPDATE kernel_migration m SET name = renamed.after
     FROM unnest($1::text[], $2::text[]) AS renamed(before, after) WHERE m.name = renamed.before`,
    [Object.keys(RENAMED_MIGRATIONS), Object.values(RENAMED_MIGRATIONS)],
  )
}

async function applyMigration(client: pg.PoolClient, folder: string, name: string): Promise<void> {
  const sql = await readFile(join(folder, name), 'utf8')
  await client.query('BEGIN')
  try {
    await client.query(sql)
    await client.query('INSERT INTO kernel_migration (name) VALUES ($1)', [name])
    await client.query('COMMIT')
  } catch (cause) {
    await client.query('ROLLBACK')
    throw new StartRefusal(`migration ${name} failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}
