import type pg from 'pg'
import { inTransaction } from '../database/in-transaction.ts'
import { KeyRing } from './key-ring.ts'
import { type ConfiguredKeys, makeKeyFile, SecretKeyError } from './key-source.ts'
import type { Queryable } from './sealed-places.ts'
import type { SecretKey } from './secret-key.ts'
import { createSecrets } from './secrets.ts'

/** Advisory lock, held until commit by code that changes or relies on the list of keys. */
const KEYS_LOCK = 7_255_710
/** The plain text of every key's check value. */
const CHECK_TEXT = 'sallyport'

/**
 * A key that this installation uses or has used, as the database knows it: by its id, and by a
 * known text that is sealed under it.
 */
export interface RegisteredKey {
  id: string
  /**
   * `next` will seal as soon as every node holds it, `current` seals, values under `previous` are
   * being re-sealed, and none is left under `retired`.
   */
  state: 'next' | 'current' | 'previous' | 'retired'
  check_value: Buffer
  date_retired: Date | null
}

/**
 * Throws SecretKeyError when the secrets of this database cannot be opened with the keys that were
 * configured. Writes nothing, and works on an empty database too, so that a node with a wrong key is
 * refused before it migrates, writes or serves.
 */
export async function checkKeys(db: Queryable, configured: ConfiguredKeys): Promise<void> {
  checkRegistered(await registeredKeys(db), configured)
}

/**
 * Makes the configured keys those of this installation when it has none yet, or refuses them when
 * it has others. If several nodes start at once on an empty database, one registers its key.
 * Returns the ring, sealing under the key that the database names.
 */
export async function registerKeys(pool: pg.Pool, configured: ConfiguredKeys): Promise<KeyRing> {
  return inKeysTransaction(pool, async (client) => {
    const registered = await registeredKeys(client)
    checkRegistered(registered, configured)
    if (registered.length) return ringOf(configured.keys, registered)
    const first = configured.keys[0] ?? (configured.file && (await makeKeyFile(configured.file)))
    if (!first) throw new Error('no key was configured, and there is no place for a new one')
    await insertKey(client, first, 'current')
    return new KeyRing([first, ...configured.keys])
  })
}

/** Runs `work` while nobody else can change the list of keys. */
export async function inKeysTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    return await inTransaction(client, async () => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [KEYS_LOCK])
      return work(client)
    })
  } finally {
    client.release()
  }
}

/** None in an empty database. */
export async function registeredKeys(db: Queryable): Promise<RegisteredKey[]> {
  const { rows } = await db.query<{ exists: boolean }>(`SELECT to_regclass('kernel_secret_key') IS NOT NULL AS exists`)
  if (!rows[0]?.exists) return []
  return (
    await db.query<RegisteredKey>(
      'SELECT id, state, check_value, date_retired FROM kernel_secret_key ORDER BY date_created, id',
    )
  ).rows
}

export async function insertKey(db: Queryable, key: SecretKey, state: RegisteredKey['state']): Promise<void> {
  const check = createSecrets(new KeyRing([key])).seal(CHECK_TEXT)
  await db.query('INSERT INTO kernel_secret_key (id, state, check_value) VALUES ($1, $2, $3)', [key.id, state, check])
}

function ringOf(keys: readonly SecretKey[], registered: readonly RegisteredKey[]): KeyRing {
  const ring = new KeyRing(keys)
  for (const { id, state } of registered) if (state === 'current') ring.sealUnder(id)
  return ring
}

function checkRegistered(registered: readonly RegisteredKey[], configured: ConfiguredKeys): void {
  for (const wanted of ['current', 'previous'] as const) {
    for (const { id, check_value } of registered.filter(({ state }) => state === wanted)) {
      const key = configured.keys.find((one) => one.id === id)
      if (!key && wanted === 'previous') throw missingPrevious(configured, id)
      if (!key || !opens(key, check_value)) throw wrongKey(configured, registered)
    }
  }
}

function opens(key: SecretKey, value: Buffer): boolean {
  try {
    createSecrets(new KeyRing([key])).open(value)
    return true
  } catch {
    return false
  }
}

const REMEDY =
  'Nothing was changed. Bring back what belongs to this database: secret.key in the data directory, from its backup or from another node, or the value of ' +
  'SALLYPORT_SECRET_KEY that was used so far. See docs/operate-keys.md.'

function wrongKey({ keys, source, file }: ConfiguredKeys, registered: readonly RegisteredKey[]): SecretKeyError {
  const current = registered.find(({ state }) => state === 'current')
  const named = current ? ` (${current.id})` : ''
  if (!keys.length)
    return new SecretKeyError(
      `The secrets in this database are sealed under a key${named} that is missing here: there is no ${file}. ${REMEDY}`,
    )
  const retired = registered.find(({ id, state }) => state === 'retired' && keys.some((key) => key.id === id))
  const since = retired?.date_retired
    ? `, which was retired on ${retired.date_retired.toISOString().slice(0, 10)} by a rotation`
    : ''
  const held = keys.map(({ id }) => id).join(', ')
  return new SecretKeyError(
    `The secrets in this database are sealed under another key${named} than that of ${source} (${held})${since}. ${REMEDY}`,
  )
}

function missingPrevious({ source }: ConfiguredKeys, id: string): SecretKeyError {
  return new SecretKeyError(
    `The key of this installation is being rotated, and ${source} lacks the one before (${id}), under which secrets are still sealed. ${REMEDY}`,
  )
}
