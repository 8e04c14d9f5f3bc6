import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { StartRefusal } from '../../../kernel/start-refusal.ts'
import { isRestoreUnfinished, RESTORE_MARK } from '../../../kernel/unfinished-restore.ts'

/** What may be there before: the key, which a person brings, and what is no part of an installation. */
const MAY_BE_THERE: ReadonlySet<string> = new Set(['secret.key', 'sallyport.lock', 'lost+found', RESTORE_MARK])

/** What of a data directory no restore may find there. */
async function filling(dataDirectory: string): Promise<string[]> {
  const found = await readdir(dataDirectory)
  return found.filter((name) => !MAY_BE_THERE.has(name) && !name.startsWith('sallyport.lock.'))
}

/** Throws StartRefusal where anything is in the data directory but what an unfinished restore has left. */
export async function refuseFilledDirectory(dataDirectory: string): Promise<void> {
  const found = isRestoreUnfinished(dataDirectory) ? [] : await filling(dataDirectory)
  if (found.length)
    throw new StartRefusal(
      `The data directory ${dataDirectory} is not empty (${found.slice(0, 5).join(', ')}${found.length > 5 ? ', …' : ''}): name an empty one in SALLYPORT_DATA_DIR. Only secret.key may be there. Nothing was changed`,
    )
}

/** Removes what an unfinished restore has left. */
export async function clearUnfinished(dataDirectory: string): Promise<void> {
  if (!isRestoreUnfinished(dataDirectory)) return
  for (const name of await filling(dataDirectory)) await rm(join(dataDirectory, name), { recursive: true, force: true })
}

/** Throws StartRefusal where root would make files that the account of the service cannot use. */
export async function refuseOtherAccount(dataDirectory: string): Promise<void> {
  const found = await stat(dataDirectory).catch(() => undefined)
  if (process.getuid?.() === 0 && found && found.uid !== 0)
    throw new StartRefusal(
      `The data directory ${dataDirectory} belongs to another account (${found.uid}), as which Sallyport runs: restore as that account, with sudo -u. Nothing was changed`,
    )
}

/** Throws StartRefusal where the database has tables already. */
export async function refuseFilledDatabase(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string; count: number }>(`
      SELECT current_database() AS name, count(*)::int AS count FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'S')
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = pg_class.oid AND d.deptype = 'e')`)
    const [found] = rows
    if (found?.count)
      throw new StartRefusal(
        `The database ${found.name} of DATABASE_URL is not empty (${found.count} tables, views and sequences): name an empty one. Nothing was changed`,
      )
  } finally {
    await client.end()
  }
}
