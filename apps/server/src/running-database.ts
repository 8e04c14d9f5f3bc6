import { join } from 'node:path'
import type pg from 'pg'
import type { Config } from './kernel/config.ts'
import { runningPostgres } from './kernel/database/embedded.ts'

/**
 * How a command reaches the database of a running installation. Throws a sentence for people when
 * it is not running.
 */
export async function connectionOfInstallation(config: Config): Promise<pg.PoolConfig> {
  if (config.databaseUrl) return { connectionString: config.databaseUrl }
  const connection = await runningPostgres(join(config.dataDirectory, 'postgres'))
  if (!connection)
    throw new Error(`Sallyport does not run on ${config.dataDirectory}: start it first, or set SALLYPORT_DATA_DIR`)
  return connection
}
