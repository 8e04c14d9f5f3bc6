import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { StartRefusal } from '../start-refusal.ts'
import { inTransaction } from './in-transaction.ts'
import { oneNodeAtATime } from './locks.ts'
import { type PlannedMigration, planMigration } from './migration-plan.ts'
import { EXTENSIONS, migrationsFor, provideFunctions } from './postgres-versions.ts'

const FOLDER = fileURLToPath(new URL('../../../migrations/', import.meta.url))
/** Any number of our own. */
const ADVISORY_LOCK = 7_255_709

/**
 * Applies the migrations that this database has not seen, in order of their file names, each in a
 * transaction of its own. Which it has seen is known by name alone: one that was written on a
 * branch and arrives after newer ones still runs. Throws, naming the file, when one fails; what
 * came before it stays applied. Throws StartRefusal, with nothing written, where the database has
 * seen one that this program does not have: it would work on tables that it does not know.
 * @returns the names of those that were applied now
 */
export async function migrate(pool: pg.Pool, folder = FOLDER): Promise<string[]> {
  return oneNodeAtATime(pool, ADVISORY_LOCK, async (client) => {
    const pending = await pendingMigrations(client, folder)
    await inTransaction(client, () => prepare(client))
    if (!pending.length) return pending
    const written = await migrationsFor(client)
    for (const name of pending) await inTransaction(client, () => runMigration(client, name, { folder, written }))
    return pending
  })
}

/**
 * What `migrate` would do to this database: a plan for each migration that it has not seen, in
 * order. Nothing is written, and no table is locked.
 * @throws StartRefusal where the database is newer than this program
 */
export async function planMigrations(client: pg.ClientBase, folder = FOLDER): Promise<PlannedMigration[]> {
  const plans: PlannedMigration[] = []
  for (const name of await pendingMigrations(client, folder))
    plans.push(await planMigration(client, nameOf(name), await readFile(join(folder, name), 'utf8')))
  return plans
}

/** File names in order; throws StartRefusal where the database is newer than this program. */
async function pendingMigrations(client: pg.ClientBase, folder: string): Promise<string[]> {
  const { own, pending, unknown } = await migrationState(client, folder)
  refuseUnknown(unknown, own)
  return pending
}

/**
 * Makes the schema of an earlier version in an empty database, within the caller's transaction: what
 * these migrations make, in order of their names. Throws StartRefusal for one that this program does
 * not have.
 */
export async function makeSchema(client: pg.ClientBase, names: readonly string[], folder = FOLDER): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK])
  await prepare(client)
  const written = await migrationsFor(client)
  for (const name of names.toSorted()) await runMigration(client, name, { folder, written })
}

/** The file names of the migrations that this program has, in order. */
export async function ownMigrations(folder = FOLDER): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
}

/** What migrations take for granted: all of it, or nothing. */
async function prepare(client: pg.ClientBase): Promise<void> {
  for (const name of EXTENSIONS) await client.query(`CREATE EXTENSION IF NOT EXISTS ${name}`)
  await provideFunctions(client)
  await client.query(
    'CREATE TABLE IF NOT EXISTS kernel_migration (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
  )
}

/** How a database stands to this program: names of migrations. */
export interface MigrationState {
  own: string[]
  /** Own ones that are not applied. */
  pending: string[]
  /** Applied ones that this program does not have. */
  unknown: string[]
}

/** Looks, and changes nothing. */
export async function migrationState(db: Pick<pg.Pool, 'query'>, folder = FOLDER): Promise<MigrationState> {
  const [own, applied] = await Promise.all([ownMigrations(folder), appliedMigrations(db)])
  return {
    own,
    pending: own.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !own.includes(name)),
  }
}

/** Their file names in order; none in an empty database. */
async function appliedMigrations(client: Pick<pg.Pool, 'query'>): Promise<string[]> {
  const { rows: tables } = await client.query(`SELECT to_regclass('kernel_migration') AS list`)
  if (!tables[0].list) return []
  const { rows } = await client.query<{ name: string }>('SELECT name FROM kernel_migration')
  return rows.map(({ name }) => name).sort()
}

function refuseUnknown(unknown: readonly string[], own: readonly string[]): void {
  const [oldest, newest] = [unknown.at(0), unknown.at(-1)]
  if (!oldest || !newest) return
  // The first release began a new list.
  if (oldest < (own[0] ?? ''))
    throw new StartRefusal(
      `This database was made by a Sallyport from before its first release (with ${nameOf(oldest)}), and cannot be upgraded: start with an empty one, by another SALLYPORT_DATA_DIR or DATABASE_URL`,
    )
  throw new StartRefusal(
    `This Sallyport is older than its database, which a newer one has migrated (to ${nameOf(newest)}): start that one or a newer one, or restore the backup of the database from before the upgrade`,
  )
}

const nameOf = (file: string) => file.replace('.sql', '')

/** Within the caller's transaction. `written`: see `migrationsFor`. */
async function runMigration(
  client: pg.ClientBase,
  name: string,
  { folder, written }: { folder: string; written: (migration: string) => string },
): Promise<void> {
  const sql = written(await readFile(join(folder, name), 'utf8'))
  try {
    await client.query(sql)
    await client.query('INSERT INTO kernel_migration (name) VALUES ($1)', [name])
  } catch (cause) {
    throw new StartRefusal(`migration ${name} failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}
