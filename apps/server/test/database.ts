/**
 * Databases for tests: one PostgreSQL for the whole run, one migrated template, cloned for every
 * test file in milliseconds. vitest runs `setup` for each project before all files, and what it returns
 * after them.
 */

import { randomBytes } from 'node:crypto'
import { chown, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/kernel/database/embedded.ts'
import { migrate } from '../src/kernel/database/migrate.ts'
import { measured } from './measured.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

const TEMPLATE = 'sallyport_template'
/** By copying files: the other way, which writes all of it to the log, is slower. */
const CLONE = `TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`
/** Nothing is kept: a test run may lose its data in a power cut. Its log takes room, perhaps in memory. */
const SPEED = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // For the servers of as many files as there are workers; some files have several.
  max_connections: '300',
  max_wal_size: '256MB',
}

const OPENED = Symbol.for('sallyport.test.database')

declare module 'vitest' {
  export interface ProvidedContext {
    testDatabaseServer: pg.ClientConfig
  }
}

interface OfRun {
  connection: EmbeddedPostgres['connection']
  /** Where temporary files go. */
  directory: string
  stop(): Promise<void>
}

/** One for all projects of a run, which evaluate this file once each. */
const ofRun = globalThis as unknown as { [OPENED]?: { users: number; opened: Promise<OfRun> } }

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = (ofRun[OPENED] ??= { users: 0, opened: open() })
  shared.users++
  const leave = async () => {
    shared.users--
    if (shared.users) return
    delete ofRun[OPENED]
    await (await shared.opened).stop()
  }
  const { connection, directory } = await shared.opened
  project.provide('testDatabaseServer', connection)
  // Temporary files of the project go there. Where mutants are tried there is no project, and a
  // folder that was made before.
  if (project.config) project.config.env = { ...project.config.env, TMPDIR: directory }
  return leave
}

async function open(): Promise<OfRun> {
  const directory = await makeTemporaryFolder()
  let server: EmbeddedPostgres | undefined
  const stop = async () => {
    await server?.stop()
    await rm(directory, { recursive: true, force: true })
  }
  try {
    server = await startEmbeddedPostgres({
      directory: join(directory, 'postgres'),
      // Folder of another PostgreSQL's programs, or `distribution`: everything is tested on that one.
      programs: process.env.TEST_POSTGRES_BIN,
      log: () => {},
      settings: SPEED,
    })
    await makeTemplate(server.connection)
    return { connection: server.connection, directory, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function makeTemplate(connection: pg.ClientConfig): Promise<void> {
  await onServer(connection, (client) => client.query(`CREATE DATABASE ${TEMPLATE}`))
  const pool = new pg.Pool({ ...connection, database: TEMPLATE })
  pool.on('error', () => {}) // when a migration fails the server is stopped under it
  try {
    await migrate(pool)
  } finally {
    await pool.end()
  }
}

export interface TestDatabase {
  connection: pg.ClientConfig
  /** Removes the database, even with open connections. */
  drop(): Promise<void>
}

/** A fresh database with all migrations applied. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(CLONE)
}

/** A database with nothing in it. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('TEMPLATE template0')
}

/** One with all migrations applied, whose files are in a folder of the test's own. */
export async function createDatabaseIn(folder: string): Promise<TestDatabase> {
  const { inject } = await import('vitest')
  const server = inject('testDatabaseServer')
  const { uid, gid } = await stat(String(server.host))
  await chown(folder, uid, gid)
  const tablespace = `test_${randomBytes(6).toString('hex')}`
  // What another role than a superuser may not do.
  const asSuperuser = <T>(work: (client: pg.Client) => Promise<T>) => onServer({ ...server, user: 'postgres' }, work)
  await asSuperuser(async (client) => {
    await client.query(`CREATE TABLESPACE ${tablespace} OWNER ${server.user} LOCATION '${folder}'`)
  })
  const database = await createDatabase(`${CLONE} TABLESPACE ${tablespace}`)
  return {
    ...database,
    async drop() {
      await database.drop()
      await asSuperuser((client) => client.query(`DROP TABLESPACE ${tablespace}`))
    },
  }
}

function createDatabase(template: string): Promise<TestDatabase> {
  return measured('databases', () => createNow(template))
}

async function createNow(template: string): Promise<TestDatabase> {
  const { inject } = await import('vitest')
  const server = inject('testDatabaseServer')
  const database = `test_${randomBytes(6).toString('hex')}`
  await onServer(server, async (client) => {
    const { rows } = await client.query(`SELECT current_setting('server_version_num')::int >= 150000 AS has_strategies`)
    // Before, files were copied always.
    const how = rows[0].has_strategies ? template : template.replace(' STRATEGY FILE_COPY', '')
    await client.query(`CREATE DATABASE ${database} ${how}`)
  })
  return {
    connection: { ...server, database },
    drop: () =>
      onServer(server, async (client) => {
        await untilLeft(client, database)
        for (let tries = 1; ; tries++)
          try {
            await client.query(`SELECT pg_terminate_backend(pid) ${CONNECTIONS}`, [database])
            // Not by force: that is refused while the server's own process vacuums the database;
            // without it, the server ends its process itself and waits for clients that are
            // leaving.
            await client.query(`DROP DATABASE IF EXISTS ${database}`)
            return
          } catch (error) {
            // A client that was thrown out may have come back.
            if ((error as pg.DatabaseError).code !== IN_USE || tries === 5) throw error
          }
      }),
  }
}

/** `object_in_use`, after the server has waited for five seconds. */
const IN_USE = '55006'
/** Connections of clients; the server's own processes in a database are its own affair. */
const CONNECTIONS = `FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`

/**
 * A pool that was ended says so before its connections are closed; throwing those out would be an
 * error that nobody listens for.
 */
async function untilLeft(client: pg.Client, database: string): Promise<void> {
  for (let looks = 0; looks < 20; looks++) {
    const { rows } = await client.query(`SELECT 1 ${CONNECTIONS}`, [database])
    if (!rows.length) return
    await setTimeout(25)
  }
}

async function onServer<T>(connection: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...connection, database: 'postgres' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
