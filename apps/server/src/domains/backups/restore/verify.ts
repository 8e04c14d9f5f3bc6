import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import type { Config } from '../../../kernel/config.ts'
import { type Database, openDatabase as openPool } from '../../../kernel/database/database.ts'
import { migrate } from '../../../kernel/database/migrate.ts'
import { KeyRing } from '../../../kernel/secrets/key-ring.ts'
import { readKeys } from '../../../kernel/secrets/key-source.ts'
import { findSealedPlaces } from '../../../kernel/secrets/sealed-places.ts'
import { createVault, type Opener, type Vault } from '../../../kernel/secrets/vault.ts'
import { StartRefusal } from '../../../kernel/start-refusal.ts'
import { CHAINED_LOGS, verifyLog } from '../../audits/index.ts'
import { recordedSha256, unpacked } from '../../terminal/recording/index.ts'
import { type Manifest, readManifest } from '../manifest.ts'
import { readOwnFiles } from '../own-files.ts'
import type { Place } from '../places/place.ts'
import { type ListedRecording, readList } from '../recordings/recording-list.ts'
import { checkParts, damagedRecordings, wordsOf } from './check-parts.ts'
import { keysOfBackup } from './keys-of-backup.ts'
import { putBackDatabase } from './put-back.ts'
import { changed, refuseNewer } from './restore.ts'

/** Secrets that are opened of each column. */
const SECRETS_EACH = 20

export interface VerifyParts {
  config: Config
  place: Place
  id?: string | undefined
  passphrase: () => Promise<string | undefined>
  /** Opens an empty database that is thrown away afterwards. */
  openDatabase: () => Promise<{ connection: pg.ClientConfig; close: () => Promise<void> }>
  report: (line: string) => void
}

/**
 * Proves that a backup can be restored, without a change to anything: every file is read and
 * compared, the database is restored into another one and migrated, secrets and a recording are
 * opened, and the chains of the logs are followed to their ends.
 * @throws StartRefusal for the first thing that is wrong, in words
 */
export async function verifyBackup({ config, place, id, passphrase, openDatabase, report }: VerifyParts) {
  const { manifest, isOf } = await readManifest(place, id)
  await refuseNewer(place, manifest)
  const { keys } = await keysOfBackup(manifest, await readKeys(config), place, passphrase)
  const secrets = createVault(new KeyRing(keys))
  if (!isOf(secrets)) throw changed(place, manifest)
  await checkParts(place, manifest)
  const damage = await damagedRecordings(place, manifest)
  if (damage.count) throw new StartRefusal(`The backup is damaged: ${wordsOf(damage)}`)
  report(`Every file is as it was written: ${manifest.recordings?.count ?? 0} of recordings among them.`)
  const open = secrets.open('backup', `the backup ${manifest.id}`)
  for (const { content } of await readOwnFiles(place, manifest.files)) open(Buffer.from(content, 'base64'))

  const { connection, close } = await openDatabase()
  try {
    await putBackDatabase(connection, place, manifest)
    const { db, pool, close: leave } = openPool({ ...connection, max: 2 })
    try {
      await migrate(pool)
      report(`The database was restored: ${manifest.tables.reduce((sum, { rows }) => sum + rows, 0)} rows.`)
      report(`${await openSecrets(pool, open)} secrets were opened.`)
      report(await openRecording(pool, place, manifest))
      report(`The logs are as they were chained: ${await followChains(db, secrets)} rows.`)
    } finally {
      await leave()
    }
  } finally {
    await close()
  }
  return manifest
}

/** Opens some secrets of each column that has any. */
async function openSecrets(pool: pg.Pool, open: Opener): Promise<number> {
  let count = 0
  for (const { table, column, kind } of await findSealedPlaces(pool)) {
    const values = kind === 'value' ? column : `jsonb_path_query(${column}, 'strict $.**."$sealed"')#>>'{}'`
    const { rows } = await pool.query<{ sealed: Buffer | string }>(
      kind === 'value'
        ? `SELECT ${values} AS sealed FROM ${table} WHERE ${column} IS NOT NULL LIMIT ${SECRETS_EACH}`
        : `SELECT ${values} AS sealed FROM ${table} WHERE ${column}::text LIKE '%"$sealed"%' LIMIT ${SECRETS_EACH}`,
    )
    for (const { sealed } of rows) {
      try {
        open(typeof sealed === 'string' ? Buffer.from(sealed, 'base64') : sealed)
      } catch (cause) {
        throw new StartRefusal(`A secret in ${table}.${column} of the backup does not open with the key`, { cause })
      }
      count++
    }
  }
  return count
}

/** Reads the newest recording to its end, and compares it with the checksum of its session. */
async function openRecording(pool: pg.Pool, place: Place, manifest: Manifest): Promise<string> {
  let newest: ListedRecording | undefined
  for await (const one of readList(place, manifest))
    if (/\.(?:cast|desktop|statements)\.gz$/.test(one.name)) newest = one
  if (!newest) return 'There is no recording in it.'
  const { name, part } = newest
  const [session = ''] = (name.split('/').at(-1) ?? '').split('.')
  const hash = createHash('sha256')
  const content = unpacked(place.open(part.file))
  try {
    await pipeline(content, hash)
  } catch (cause) {
    throw new StartRefusal(`The recording ${name} of the backup cannot be read`, { cause })
  }
  const known = await recordedSha256(pool, session)
  if (known && known !== hash.digest('hex'))
    throw new StartRefusal(`The recording ${name} of the backup is not that of its session`)
  return `A recording was opened: ${name}.`
}

async function followChains(db: Database, secrets: Vault): Promise<number> {
  let total = 0
  for (const log of CHAINED_LOGS) {
    const { intact, rows } = await verifyLog(db, secrets, log)
    if (!intact)
      throw new StartRefusal(`The log ${log} of the backup was changed: docs/audit-proof.md says how to find where`)
    total += rows
  }
  return total
}
