import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { Config } from '../config.ts'
import { type Events, RECONNECTED } from '../events/events.ts'
import type { KeyRing } from './key-ring.ts'
import { readKeys } from './key-source.ts'
import type { Queryable } from './sealed-places.ts'

/** Event: keys were added, or another key now seals. */
export const KEYS_CHANGED = 'secrets.keys_changed'
const HEARTBEAT_MS = 10_000
/** A node that has not renewed its row for this long counts as ended. */
export const LEASE_SECONDS = 30

/** A running node, as a key rotation sees it. */
export interface KeyHolder {
  /** Host and process, for people. */
  name: string
  keys: string[]
  seals_under: string
}

interface HeldParts {
  pool: pg.Pool
  events: Events
  log: FastifyBaseLogger
  config: Config
  ring: KeyRing
}

/**
 * Keeps the ring of a running node as the installation wants it, and says in the database which
 * keys the node holds and which one it seals under. Keys that are added to the key file are taken
 * up while the node runs. Answers how to end it.
 */
export async function holdKeys({ pool, events, log, config, ring }: HeldParts): Promise<() => Promise<void>> {
  const node = randomUUID()
  const refresh = async () => {
    ring.add((await readKeys(config)).keys)
    // Register first, then read: a rotation that misses the one is noticed by the other.
    await sayHeld(pool, node, ring)
    const { rows } = await pool.query<{ id: string }>(`SELECT id FROM kernel_secret_key WHERE state = 'current'`)
    const current = rows[0]?.id
    if (!current || current === ring.current.id) return
    if (!ring.find(current))
      return log.error({ key: current }, 'this node lacks the key that seals: docs/operate-keys.md')
    ring.sealUnder(current)
    await sayHeld(pool, node, ring)
  }
  await pool.query('DELETE FROM kernel_secret_key_holder WHERE date_seen < now() - make_interval(secs => $1)', [
    LEASE_SECONDS,
  ])
  let last = refresh()
  await last
  const refreshSoon = () => {
    last = last.then(refresh).catch((error) => log.error({ err: error }, 'the keys of secrets could not be read'))
  }
  const stops = [KEYS_CHANGED, RECONNECTED].map((name) => events.subscribe(name, refreshSoon))
  const timer = setInterval(refreshSoon, HEARTBEAT_MS).unref()
  return async () => {
    clearInterval(timer)
    for (const stop of stops) stop()
    await last
    // If the database is gone, the row expires by its lease.
    await pool.query('DELETE FROM kernel_secret_key_holder WHERE node = $1', [node]).catch(() => {})
  }
}

async function sayHeld(db: Queryable, node: string, ring: KeyRing): Promise<void> {
  await db.query(
    `INSERT INTO kernel_secret_key_holder (node, name, keys, seals_under) VALUES ($1, $2, $3, $4)
     ON CONFLICT (node) DO UPDATE SET keys = excluded.keys, seals_under = excluded.seals_under, date_seen = now()`,
    [node, `${hostname()} (process ${process.pid})`, ring.all.map(({ id }) => id), ring.current.id],
  )
}

/** The nodes that are running now. */
export async function runningHolders(db: Queryable): Promise<KeyHolder[]> {
  const { rows } = await db.query<KeyHolder>(
    `SELECT name, keys, seals_under FROM kernel_secret_key_holder WHERE date_seen > now() - make_interval(secs => $1) ORDER BY name`,
    [LEASE_SECONDS],
  )
  return rows
}
