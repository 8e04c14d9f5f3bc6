import { join } from 'node:path'
import type pg from 'pg'
import type { Config } from '../kernel/config.ts'
import { checkDatabase } from '../kernel/database/check-database.ts'
import { runningPostgres } from '../kernel/database/embedded.ts'
import { StartRefusal } from '../kernel/start-refusal.ts'

/**
 * How a command reaches the database of a running installation.
 * @throws StartRefusal where it does not run, or the database cannot be used
 */
export async function connectionOfInstallation(config: Config): Promise<pg.PoolConfig> {
  if (config.databaseUrl) {
    await checkDatabase(config.databaseUrl)
    return { connectionString: config.databaseUrl }
  }
  const connection = await runningPostgres(join(config.dataDirectory, 'postgres'))
  if (!connection)
    throw new StartRefusal(
      `Sallyport does not run on ${config.dataDirectory}: start it first, or name its folder in SALLYPORT_DATA_DIR`,
    )
  return connection
}
