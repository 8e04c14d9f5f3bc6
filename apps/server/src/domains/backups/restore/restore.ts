import type pg from 'pg'
import type { Config } from '../../../kernel/config.ts'
import { openDatabase } from '../../../kernel/database/database.ts'
import { migrate, ownMigrations } from '../../../kernel/database/migrate.ts'
import { KeyRing } from '../../../kernel/secrets/key-ring.ts'
import { readKeys } from '../../../kernel/secrets/key-source.ts'
import { createVault } from '../../../kernel/secrets/vault.ts'
import { StartRefusal } from '../../../kernel/start-refusal.ts'
import { beginRestore, endRestore } from '../../../kernel/unfinished-restore.ts'
import { recordOperatorAct } from '../../audits/index.ts'
import { recordingStore } from '../../terminal/recording/index.ts'
import { noteRestored } from '../journal.ts'
import { type Manifest, readManifest } from '../manifest.ts'
import { putBackOwnFiles, readOwnFiles } from '../own-files.ts'
import type { Place } from '../places/place.ts'
import { checkParts, type Damage, missingRecordings, wordsOf } from './check-parts.ts'
import { clearUnfinished, refuseFilledDatabase, refuseFilledDirectory, refuseOtherAccount } from './empty-targets.ts'
import { keysOfBackup, writeKeys } from './keys-of-backup.ts'
import { putBackDatabase, putBackRecordings } from './put-back.ts'

export interface RestoreParts {
  config: Config
  place: Place
  /** The id of a backup; the newest where none is named. */
  id?: string | undefined
  /** Asks for the passphrase of the key in the backup; undefined where nobody gives one. */
  passphrase: () => Promise<string | undefined>
  /** Whether recordings that are missing or damaged are left out; a refusal otherwise. */
  skipsDamaged?: boolean
  /** Opens the database that is to be filled, once all else was checked. */
  openDatabase: () => Promise<{ connection: pg.ClientConfig; close: () => Promise<void> }>
  /** Gets each step, in English. */
  report?: (line: string) => void
}

/**
 * Makes an installation of a backup: on an empty data directory, which the caller has locked, and an
 * empty database, of any version of PostgreSQL that is supported. Everything is checked before
 * anything is changed. Until it has finished, the data directory is marked, and no start takes it.
 * @throws StartRefusal in words
 */
export async function restoreBackup(parts: RestoreParts): Promise<{ manifest: Manifest; damage: Damage }> {
  const { config, place, id, passphrase, skipsDamaged = false, openDatabase, report = () => {} } = parts
  const { dataDirectory } = config
  const { manifest, isOf } = await readManifest(place, id)
  await refuseNewer(place, manifest)
  await refuseOtherAccount(dataDirectory)
  await refuseFilledDirectory(dataDirectory)
  const configured = await readKeys(config)
  const { keys, areFromBackup } = await keysOfBackup(manifest, configured, place, passphrase)
  const secrets = createVault(new KeyRing(keys))
  if (!isOf(secrets)) throw changed(place, manifest)
  if (config.databaseUrl) await refuseFilledDatabase({ connectionString: config.databaseUrl })
  report('Checking the backup …')
  await checkParts(place, manifest)
  const files = await readOwnFiles(place, manifest.files)
  const missing = await missingRecordings(place, manifest)
  if (missing.count && !skipsDamaged)
    throw new StartRefusal(
      `The backup is damaged: ${wordsOf(missing)}. Nothing was changed. With --without-damaged everything else is restored`,
    )

  await clearUnfinished(dataDirectory)
  beginRestore(dataDirectory)
  if (areFromBackup && configured.file) await writeKeys(configured.file, keys)
  await putBackOwnFiles(dataDirectory, files, secrets.open('backup', 'files of the data directory'))
  report('Recordings …')
  const damage = await putBackRecordings(recordingStore(config), place, manifest, skipsDamaged)
  report('The database …')
  const { connection, close } = await openDatabase()
  try {
    await putBackDatabase(connection, place, manifest)
    endRestore(dataDirectory)
    await migrateOn(connection, manifest)
  } finally {
    await close()
  }
  return { manifest, damage }
}

export const changed = (place: Place, { id }: Pick<Manifest, 'id'>) =>
  new StartRefusal(
    `The backup ${id} in ${place.name} was changed after it was made, or another installation made it: its manifest does not fit the key. Nothing was changed`,
  )

/** Throws StartRefusal where a newer Sallyport made the backup. */
export async function refuseNewer(place: Place, { id, migrations, version }: Manifest): Promise<void> {
  const own = await ownMigrations()
  const unknown = migrations.filter((name) => !own.includes(name))
  if (unknown.length)
    throw new StartRefusal(
      `The backup ${id} in ${place.name} was made by Sallyport ${version}, whose database is newer than this program knows (${unknown.at(-1)?.replace('.sql', '')}): restore with that version or a newer one. Nothing was changed`,
    )
}

/** Brings the database to this version, and says in its log what happened. */
async function migrateOn(connection: pg.ClientConfig, manifest: Manifest): Promise<void> {
  const { id, date } = manifest
  const { db, pool, close } = openDatabase({ ...connection, max: 2 })
  try {
    await migrate(pool)
    await noteRestored(db, manifest)
    await recordOperatorAct(db, {
      user: 'sallyport-admin',
      action: 'update',
      resourceType: 'Restore',
      resource: `${id} (${date})`,
    })
  } finally {
    await close()
  }
}
