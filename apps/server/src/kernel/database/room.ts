import type pg from 'pg'

/** PostgreSQL's `disk_full`. */
export const DISK_FULL = '53100'
/** How often a full database is tried again. */
const TRY_AGAIN_MS = 2_000
/** Takes new pages on the disk, some 120 kB of them, and leaves nothing. */
const TRIAL = `CREATE TEMP TABLE room_trial ON COMMIT DROP AS
  SELECT repeat(md5(random()::text), 30) AS filler FROM generate_series(1, 128)`

/** Databases that have refused something for want of room, and when they were tried last. */
const full = new WeakMap<pg.Pool, { tried: number }>()

/** Remembers what a database refuses for want of room. */
export function watchRoom(pool: pg.Pool, { code }: { code?: string }): void {
  if (code === DISK_FULL && !full.has(pool)) full.set(pool, { tried: 0 })
}

/**
 * Whether the database stores anything: yes, until it has refused something, and then only when it
 * has taken as much again. Reads may go on while it does not.
 */
export async function hasRoom(pool: pg.Pool): Promise<boolean> {
  const state = full.get(pool)
  if (!state) return true
  const now = performance.now()
  if (state.tried && now - state.tried < TRY_AGAIN_MS) return false
  state.tried = now
  try {
    await pool.query(TRIAL)
    full.delete(pool)
    return true
  } catch {
    return false
  }
}
