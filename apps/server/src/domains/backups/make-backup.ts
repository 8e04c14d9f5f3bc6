import { hostname } from 'node:os'
import { PRODUCT_VERSION } from '@sallyport/contract/constants.ts'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import type { Config } from '../../kernel/config.ts'
import { unlessAnotherIsAtIt } from '../../kernel/database/locks.ts'
import { registeredKeys } from '../../kernel/secrets/installation-key.ts'
import { readKeys } from '../../kernel/secrets/key-source.ts'
import type { Vault } from '../../kernel/secrets/vault.ts'
import { StartRefusal } from '../../kernel/start-refusal.ts'
import { recordOperatorAct } from '../audits/index.ts'
import { recordingStore, recordingsOutside } from '../terminal/recording/index.ts'
import { dumpDatabase } from './database/dump.ts'
import { type BackupRow, noteBegin, noteEnd, noteFault } from './journal.ts'
import { backupIds, type Manifest, newBackupId, PARTS, partOf, readManifest, writeManifest } from './manifest.ts'
import { storeOwnFiles } from './own-files.ts'
import type { Place } from './places/place.ts'
import { type StoredPart, storePart } from './places/stored-part.ts'
import { copyRecordings } from './recordings/copy-recordings.ts'
import { removeOldBackups } from './retention.ts'
import { storeKeys } from './sealed-key.ts'

const LOCK = 'a backup of the installation'

export interface BackupParts {
  pool: pg.Pool
  config: Config
  vault: Pick<Vault, 'seal' | 'fingerprint' | 'fingerprints'>
  place: Place
  madeBy: BackupRow['made_by']
  /** How many backups stay in the place. */
  keep: number
  /** With it the key is part of the backup, sealed under this passphrase. */
  passphrase?: string | undefined
  /** Gets each step, in English. */
  report?: (line: string) => void
}

/**
 * Makes a backup while the installation runs. It counts once all of it is in the place; what was
 * begun and not finished is removed by the next one.
 * @throws StartRefusal in words, when the place cannot be used, belongs to another installation, or
 *   another backup is being made
 */
export async function makeBackup(parts: BackupParts): Promise<Manifest> {
  const made = await unlessAnotherIsAtIt(parts.pool, LOCK, () => noted(parts))
  if (!made) throw new StartRefusal('Another backup of this installation is being made: wait for its end')
  return made
}

/** Makes it, and writes down what became of it, for people and in the log of operations. */
async function noted(parts: BackupParts): Promise<Manifest> {
  const { pool, place, madeBy, keep } = parts
  const db = drizzle(pool)
  const row = await noteBegin(db, { place: place.name, made_by: madeBy })
  try {
    await place.check()
    const made = await make(parts)
    // It is complete, whatever becomes of older ones.
    const fault = await removeOldBackups(place, keep).then(
      () => '',
      (error: Error) => `Old backups could not be removed: ${error.message}`,
    )
    if (fault) parts.report?.(fault)
    await noteEnd(db, row, made, fault)
    await recordOperatorAct(db, {
      user: madeBy === 'schedule' ? 'System' : 'sallyport-admin',
      action: 'export',
      resourceType: 'Backup',
      resource: `${made.id} in ${place.name}`.slice(0, 128),
    })
    return made
  } catch (error) {
    await noteFault(db, row, error as Error).catch(() => {})
    throw error
  }
}

async function make({ pool, config, vault, place, passphrase, report = () => {} }: BackupParts): Promise<Manifest> {
  const keys = await registeredKeys(pool)
  const before = await backupBefore(place, vault, keys)
  await removeUnfinished(place)
  const id = newBackupId()
  const left_out: string[] = []
  const store = recordingStore(config)

  let files: StoredPart | undefined
  report('The database …')
  const dump = await onConnection(pool, (client) =>
    dumpDatabase(
      client,
      (table, rows, compress) => storePart(place, partOf(id, `database/${table}.copy.zst`), rows, compress),
      // Right at that moment: rows that wait for the database are in a file.
      async () => {
        files = await storeOwnFiles(
          { dataDirectory: config.dataDirectory, place, file: partOf(id, 'files.json'), vault },
          left_out,
        )
      },
    ),
  )
  report('Recordings …')
  const recordings = await copyRecordings(store, place, id, before)
  if (store.ofThisNode && (await otherNodes(pool)) > 0)
    left_out.push(
      'recordings of other nodes, which keep them on their own disks: SALLYPORT_RECORDINGS names a bucket for all',
    )
  const outside = await recordingsOutside(pool)
  if (outside) left_out.push(`${outside} recordings in storages outside: they stay there`)
  const key = passphrase
    ? await storeKeys(place, partOf(id, 'secret-key.json'), (await readKeys(config)).keys, passphrase)
    : undefined
  const { date, ...database } = dump
  return writeManifest(
    place,
    {
      id,
      date: date.toISOString(),
      date_finished: new Date().toISOString(),
      version: PRODUCT_VERSION,
      node: config.nodeName ?? hostname(),
      keys: keys.map(({ id, state }) => ({ id, state })),
      ...database,
      settings: config.given,
      files,
      recordings,
      key,
      left_out,
    },
    vault,
  )
}

/**
 * The newest backup of the place, whose recordings are not copied again. Undefined where there is
 * none that the keys of today vouch for: all recordings are read again, and those that are there stay.
 * @throws StartRefusal where another installation made it
 */
async function backupBefore(
  place: Place,
  vault: Pick<Vault, 'fingerprints'>,
  keys: readonly { id: string }[],
): Promise<Manifest | undefined> {
  if (!(await backupIds(place)).length) return undefined
  const { manifest, isOf } = await readManifest(place)
  if (isOf(vault)) return manifest
  if (manifest.keys.some(({ id }) => keys.some((key) => key.id === id))) return undefined
  throw new StartRefusal(
    `${place.name} holds backups of another installation: name a folder that is empty, or that of this installation`,
  )
}

/** Removes what belongs to backups that were never finished. */
async function removeUnfinished(place: Place): Promise<void> {
  const complete = new Set(await backupIds(place))
  for await (const { name } of place.list(PARTS)) if (!complete.has(name.split('/')[1] ?? '')) await place.remove(name)
}

/** On a connection of its own, which is not used again after a fault. */
async function onConnection<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}

async function otherNodes(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int - 1 AS count FROM kernel_node WHERE is_running AND 'gateway' = ANY(roles)
       AND date_seen > now() - interval '1 minute'`,
  )
  return rows[0]?.count ?? 0
}
