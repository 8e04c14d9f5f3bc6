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

/** Any number of our own: one rotation at a time. */
const ROTATION_LOCK = 7_255_711
/**
 * Longer than a lease: a node that was killed has gone by then, one that runs has had many chances.
 */
const NODES_LIMIT_MS = (LEASE_SECONDS + 15) * 1000
const NODES_POLL_MS = 250
/**
 * Values that were being written under the old key while the nodes changed over are found by
 * looking again.
 */
const MAX_ROUNDS = 5

export interface RotationParts {
  pool: pg.Pool
  db: Database
  config: Pick<Config, 'dataDirectory' | 'secretKey' | 'nextSecretKey'>
  /** Is told each step, for people. */
  report: (line: string) => void
  /** How long the nodes have to take up what they must. */
  nodesLimitMs?: number
}

export interface Rotation {
  /** Id of the key that seals now. */
  key: string
  /** Rows that were sealed anew. */
  rows: number
  /** Places with rows that no key opens, and how many. */
  unreadable: Record<string, number>
}

/**
 * Takes a new key into use while the nodes run, seals every secret anew and retires the key before.
 * Goes on where an earlier run was cut off.
 *
 * The order: the new key is on this machine's disk, then registered, then on every running node,
 * and only then sealed under; the old one is retired when no value is left under it.
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
 * The id of the key that is to seal, on disk and registered; undefined when an earlier run has come
 * past that.
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
    // Nothing was ever sealed under a key that did not come to seal.
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

/** Waits until no running node is `behind`, for a bounded time. */
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
 * From this moment on nodes seal under the new key. A node that has come since the others were
 * asked, without the key, stops it.
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

/** How many rows hold secrets that are not sealed under the key that seals now. */
export async function countBehind(pool: pg.Pool, config: RotationParts['config']): Promise<number> {
  const ring = new KeyRing((await readKeys(config)).keys)
  ring.sealUnder(await currentKey(pool))
  return countUnderOtherKeys(pool, await findSealedPlaces(pool), headerOf(ring.current))
}
