/** Says what an upgrade will do to the database, or does it (docs/upgrade.md). */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { loadConfig, readConfigFile } from '../config.ts'
import { lockDataDirectory } from '../data-lock.ts'
import type { Config } from '../kernel/config.ts'
import { openDatabase } from '../kernel/database/database.ts'
import { runningPostgres, startEmbeddedPostgres } from '../kernel/database/embedded.ts'
import { migrate, planMigrations } from '../kernel/database/migrate.ts'
import type { PlannedMigration } from '../kernel/database/migration-plan.ts'
import { StartRefusal } from '../kernel/start-refusal.ts'
import { connectionOfInstallation } from './running-database.ts'

export const USAGE = `sallyport-admin migrate [--dry-run]

  Brings the database to this version, as its first start would.

  --dry-run  only say which migrations are due, what they do to which tables, and how long that takes`

export async function run(args: string[]): Promise<void> {
  const { 'dry-run': isDry } = parseArgs({ args, options: { 'dry-run': { type: 'boolean', default: false } } }).values
  const { connection, close } = await databaseOf(loadConfig(process.env, readConfigFile(process.env)))
  try {
    if (isDry) return console.log(wordsOf(await onClient(connection, planMigrations)))
    const { pool, close: end } = openDatabase(connection)
    const applied = await migrate(pool).finally(end)
    console.log(applied.length ? `Done: ${applied.join(', ')}.` : UP_TO_DATE)
  } finally {
    await close()
  }
}

interface Reached {
  connection: pg.PoolConfig
  close(): Promise<void>
}

/** That of an installation which runs or, where its own PostgreSQL does not, starts that alone. */
async function databaseOf(config: Config): Promise<Reached> {
  const directory = join(config.dataDirectory, 'postgres')
  if (config.databaseUrl || (await runningPostgres(directory)))
    return { connection: await connectionOfInstallation(config), close: async () => {} }
  if (!existsSync(join(directory, 'PG_VERSION')))
    throw new StartRefusal(
      `There is no database in ${config.dataDirectory} yet: the first start of Sallyport makes it. Or name another folder in SALLYPORT_DATA_DIR`,
    )
  const unlock = lockDataDirectory(config.dataDirectory)
  try {
    const { connection, stop } = await startEmbeddedPostgres({ directory, programs: config.postgresBin, log: () => {} })
    return { connection, close: () => stop().finally(unlock) }
  } catch (error) {
    unlock()
    throw error
  }
}

async function onClient<T>(connection: pg.PoolConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query('BEGIN READ ONLY')
    return await work(client)
  } finally {
    await client.end()
  }
}

const UP_TO_DATE = 'The database is up to date: no migration is due.'

/** The plan for people, a paragraph for each migration. */
export function wordsOf(plans: readonly PlannedMigration[]): string {
  if (!plans.length) return UP_TO_DATE
  const number = new Intl.NumberFormat('en-US')
  const due = plans.length === 1 ? 'One migration is due' : `${plans.length} migrations are due`
  const seconds = plans.reduce((sum, plan) => sum + plan.seconds, 0)
  return [
    `${due}, and nothing has been changed.`,
    ...plans.map(({ name, purpose, makes, touches, seconds: own }) =>
      [
        `${name}: ${durationOf(own)}`,
        `  ${purpose}`,
        ...(makes.length ? [`  makes ${makes.join(', ')}`] : []),
        ...touches.map(({ table, rows, effects }) => `  ${table}, ${number.format(rows)} rows: ${effects.join('; ')}`),
      ].join('\n'),
    ),
    `Together ${durationOf(seconds)}, estimated from the rows. Slow disks take longer: only a copy of the database tells for certain.`,
    'Back up the database first. There is no way back but that backup (docs/upgrade.md).',
  ].join('\n\n')
}

function durationOf(seconds: number): string {
  if (seconds < 5) return 'a few seconds'
  return seconds < 90 ? `some ${Math.ceil(seconds / 10) * 10} seconds` : `some ${Math.ceil(seconds / 60)} minutes`
}
