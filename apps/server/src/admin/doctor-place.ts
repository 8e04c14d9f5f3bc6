import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { processOn } from '../data-lock.ts'
import { readSettingsInForce } from '../domains/settings/index.ts'
import type { Config } from '../kernel/config.ts'
import { type OpenDatabase, openDatabase } from '../kernel/database/database.ts'
import { runningPostgres } from '../kernel/database/embedded.ts'
import { NotChecked, notChecked, type Outcome, type Place, wrong } from '../kernel/doctor/check.ts'
import { databaseOutcome } from '../kernel/doctor/checks/database-outcome.ts'
import { once } from '../kernel/once.ts'
import { checkKeys } from '../kernel/secrets/installation-key.ts'
import { KeyRing } from '../kernel/secrets/key-ring.ts'
import { readKeys } from '../kernel/secrets/key-source.ts'
import { newKey } from '../kernel/secrets/secret-key.ts'
import { createVault } from '../kernel/secrets/vault.ts'

/** A database that has not answered by then counts as away. */
const CONNECT_MS = 5_000
/** Few: the server may need the connections itself. */
const CONNECTIONS = 4

/** The place of a command beside the server, which may not even run. `close` ends its connections. */
export function placeOnCommandLine(config: Config, timeServer?: string): Place & { close(): Promise<void> } {
  let opened: OpenDatabase | undefined
  const serverPid = pidOn(config.dataDirectory)
  const reach = once(async (): Promise<Outcome | undefined> => {
    const connection = await connectionOf(config, serverPid)
    if ('state' in connection) return connection
    opened = openDatabase({ ...connection, max: CONNECTIONS, connectionTimeoutMillis: CONNECT_MS })
    return opened.pool.query('SELECT 1').then(
      () => undefined,
      (error) => databaseOutcome(error, config),
    )
  })
  const keys = once(() => readKeys(config))
  const database: Place['database'] = async () => {
    const fault = await reach()
    if (fault || !opened) throw new NotChecked((say) => say('It needs the database, which cannot be reached.'))
    return opened
  }
  const secrets = once(async () => {
    const [{ pool }, configured] = await Promise.all([database(), keys()])
    await checkKeys(pool, configured).catch(() => {
      throw new NotChecked((say) => say('It needs the key that fits the database.'))
    })
    // An empty database has nothing that a key would have to fit.
    return createVault(new KeyRing(configured.keys.length ? configured.keys : [newKey()]))
  })
  return {
    config,
    isServer: false,
    timeServer,
    serverPid,
    databaseFault: reach,
    database,
    keys,
    secrets,
    settings: once(async () => readSettingsInForce({ ...(await database()), config, secrets: await secrets() })),
    async close() {
      await opened?.close()
    },
  }
}

/** The process that works on a folder; a folder that cannot be read has its own finding. */
function pidOn(directory: string): number | undefined {
  try {
    return processOn(directory)
  } catch {
    return undefined
  }
}

/** How the database is reached, or why that cannot even be tried. */
async function connectionOf(config: Config, serverPid: number | undefined): Promise<pg.PoolConfig | Outcome> {
  if (config.databaseUrl) return { connectionString: config.databaseUrl }
  const directory = join(config.dataDirectory, 'postgres')
  const running = await runningPostgres(directory)
  if (running) return running
  if (serverPid !== undefined)
    return wrong(
      (say) =>
        say('The PostgreSQL inside does not run, although Sallyport does as process {{pid}}.', { pid: serverPid }),
      (say) => say('Restart Sallyport. If it does not come up, the reason is in its log.'),
    )
  if (!existsSync(directory))
    return notChecked(
      (say) => say('There is no database in {{folder}} yet.', { folder: config.dataDirectory }),
      (say) => say('Start Sallyport, or name the folder of the installation in SALLYPORT_DATA_DIR.'),
    )
  return notChecked(
    (say) => say('The PostgreSQL inside does not run, since Sallyport does not.'),
    (say) => say('Start Sallyport and run this again: what the database knows is not checked without it.'),
  )
}
