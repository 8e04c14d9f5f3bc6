import type pg from 'pg'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import { unlessAnotherIsAtIt } from '../database/locks.ts'
import { publishIn } from '../events/events.ts'
import { checkKeys, inKeysTransaction, insertKey, registeredKeys } from './installation-key.ts'
import { KEYS_CHANGED, type KeyHolder, LEASE_SECONDS, runningHolders } from './key-holder.ts'
import { KeyRing } from './key-ring.ts'
import { addToKeyFile, type ConfiguredKeys, readKeys, SecretKeyError, writeKeyFile } from './key-source.ts'
import { resealPlace } from './reseal.ts'
import { countUnderOtherKeys, findSealedPlaces } from './sealed-places.ts'
import { headerOf } from './secrets.ts'

/** Advisory lock: one rotation at a time. */
const ROTATION_LOCK = 7_255_711
/**
 * Longer than a lease: by then a killed node has expired, and a running one has had many chances.
 */
const NODES_LIMIT_MS = (LEASE_SECONDS + 15) * 1000
const NODES_POLL_MS = 250
/**
 * Passes over the tables: values written under the old key during the change-over are found by a
 * later one.
 */
const MAX_ROUNDS = 5

export interface RotationParts {
  pool: pg.Pool
  db: Database
  config: Pick<Config, 'dataDirectory' | 'secretKey' | 'nextSecretKey'>
  /** Called with each step, in words for people. */
  report: (line: string) => void
  /** How long the nodes have to follow. */
  nodesLimitMs?: number
}

export interface Rotation {
  /** Id of the key that seals now. */
  key: string
  /** Rows that were re-sealed. */
  rows: number
  /** Columns with rows that no key opens, and how many. */
  unreadable: Record<string, number>
}

/**
 * Introduces a new key while the nodes run, re-seals every secret and retires the old key. Continues
 * where an earlier run was interrupted.
 *
 * The order: the new key is on this machine's disk, then registered, then on every running node,
 * and only then used to seal; the old one is retired when no value is left under it.
 * @throws SecretKeyError in words for people when it cannot go on; what was done so far stays, and the next run goes on from there
 */
export async function rotateKey(parts: RotationParts): Promise<Rotation> {
  const rotation = await unlessAnotherIsAtIt(parts.pool, ROTATION_LOCK, () => rotateAlone(parts))
  if (!rotation) throw new SecretKeyError('The key is being rotated already.')
  return rotation
}

async function rotateAlone(parts: RotationParts): Promise<Rotation> {
  const { pool, report } = parts
  const next = await prepare(parts)
  if (next) {
    await untilNodes(parts, lacking(next), (names) => lacksKey(names, next, parts.config))
    await activate(pool, next)
  }
  const given = await readKeys(parts.config)
  const ring = new KeyRing(given.keys)
  const current = await currentKey(pool)
  ring.sealUnder(current)
  await untilNodes(
    parts,
    ({ seals_under }) => seals_under !== current,
    (names) => `These nodes do not yet seal under the new key: ${names}. Run it again when they do, or have ended.`,
  )
  report(`The key ${current} seals now; sealing every secret anew …`)
  const done = await resealAll(pool, ring, report)
  const retired = await retire(pool)
  if (given.file && given.keys.some(({ id }) => id === current)) await writeKeyFile(given.file, ring.all, retired)
  return { key: current, ...done }
}

/**
 * The id of the next key, which is on disk and registered; undefined when an earlier run got past
 * that.
 */
async function prepare({ pool, config, report }: RotationParts): Promise<string | undefined> {
  const given = await readKeys(config)
  await checkKeys(pool, given)
  return inKeysTransaction(pool, async (client) => {
    const registered = await registeredKeys(client)
    if (!registered.some(({ state }) => state === 'current'))
      throw new SecretKeyError('Start Sallyport once before you rotate its key.')
    if (registered.some(({ state }) => state === 'previous')) {
      report('Going on with a rotation that was cut off.')
      return undefined
    }
    const begun = registered.find(({ state }) => state === 'next')
    if (begun && given.keys.some(({ id }) => id === begun.id)) return begun.id
    // Nothing was ever sealed under a key that never became current.
    if (begun) await client.query('DELETE FROM kernel_secret_key WHERE id = $1', [begun.id])
    const key =
      given.keys.find(({ id }) => !registered.some((one) => one.id === id && one.state !== 'next')) ??
      (await makeNext(given))
    await insertKey(client, key, 'next')
    report(`The new key is ${key.id}.`)
    return key.id
  })
}

async function makeNext({ file }: ConfiguredKeys) {
  if (file) return addToKeyFile(file)
  throw new SecretKeyError(
    'The key is that of SALLYPORT_SECRET_KEY: give every node a new one as SALLYPORT_SECRET_KEY_NEXT and restart it, then run this again with both settings. See docs/operate-keys.md.',
  )
}

const lacking = (id: string) => (holder: KeyHolder) => !holder.keys.includes(id)

function lacksKey(names: string, id: string, { secretKey, nextSecretKey }: RotationParts['config']): string {
  const remedy =
    secretKey || nextSecretKey
      ? 'set SALLYPORT_SECRET_KEY_NEXT there to the same text and restart them'
      : "copy this node's secret.key into their data directories, which they take up while they run"
  return `These nodes do not hold the new key ${id}: ${names}. Nothing is sealed under it yet: ${remedy}, then run this again.`
}

/** Waits, for a bounded time, until no running node is `behind`. */
async function untilNodes(
  { pool, db, nodesLimitMs = NODES_LIMIT_MS }: RotationParts,
  behind: (holder: KeyHolder) => boolean,
  refusal: (names: string) => string,
): Promise<void> {
  const deadline = Date.now() + nodesLimitMs
  await publishIn(db, KEYS_CHANGED, {})
  for (;;) {
    const names = (await runningHolders(pool)).filter(behind).map(({ name }) => name)
    if (!names.length) return
    if (Date.now() > deadline) throw new SecretKeyError(refusal(names.join(', ')))
    await new Promise((resolve) => setTimeout(resolve, NODES_POLL_MS))
  }
}

/**
 * Makes nodes seal under the new key from this moment on. Refuses when a node without the key has
 * started since the others were asked.
 */
async function activate(pool: pg.Pool, id: string): Promise<void> {
  await inKeysTransaction(pool, async (client) => {
    const behind = (await runningHolders(client)).filter(lacking(id)).map(({ name }) => name)
    if (behind.length)
      throw new SecretKeyError(`A node without the new key has started meanwhile: ${behind.join(', ')}. Run it again.`)
    await client.query(`UPDATE kernel_secret_key SET state = 'previous' WHERE state = 'current'`)
    await client.query(`UPDATE kernel_secret_key SET state = 'current' WHERE id = $1`, [id])
  })
}

async function currentKey(pool: pg.Pool): Promise<string> {
  const current = (await registeredKeys(pool)).find(({ state }) => state === 'current')
  if (!current) throw new Error('there is no current key')
  return current.id
}

async function resealAll(pool: pg.Pool, ring: KeyRing, report: (line: string) => void): Promise<Omit<Rotation, 'key'>> {
  const header = headerOf(ring.current)
  let rows = 0
  for (let round = 1; ; round++) {
    const unreadable: Record<string, number> = {}
    const places = await findSealedPlaces(pool)
    for (const place of places) {
      const done = await resealPlace(pool, place, ring)
      rows += done.rows
      if (done.rows) report(`  ${place.table}.${place.column}: ${done.rows}`)
      if (done.unreadable) unreadable[`${place.table}.${place.column}`] = done.unreadable
    }
    const lost = Object.values(unreadable).reduce((sum, count) => sum + count, 0)
    const left = (await countUnderOtherKeys(pool, places, header)) - lost
    if (left <= 0) return { rows, unreadable }
    if (round === MAX_ROUNDS)
      throw new SecretKeyError(`${left} secrets are still sealed under another key: run it again.`)
  }
}

/** The retired keys by id, with their dates. */
async function retire(pool: pg.Pool): Promise<Map<string, Date>> {
  return inKeysTransaction(pool, async (client) => {
    await client.query(`UPDATE kernel_secret_key SET state = 'retired', date_retired = now() WHERE state = 'previous'`)
    return new Map(
      (await registeredKeys(client)).flatMap(({ id, date_retired }) =>
        date_retired ? [[id, date_retired] as const] : [],
      ),
    )
  })
}

/** How many rows hold secrets that are not under the current key. */
export async function countBehind(pool: pg.Pool, config: RotationParts['config']): Promise<number> {
  const ring = new KeyRing((await readKeys(config)).keys)
  ring.sealUnder(await currentKey(pool))
  return countUnderOtherKeys(pool, await findSealedPlaces(pool), headerOf(ring.current))
}
