import type pg from 'pg'
import { inTransaction } from '../database/in-transaction.ts'
import type { KeyRing } from './key-ring.ts'
import { countInPlace, isUnderOtherKey, type Queryable, type SealedPlace } from './sealed-places.ts'
import { createSecrets, headerOf, type Secrets } from './secrets.ts'

/** Table pages that one query looks through. */
const PAGES_AT_ONCE = 512
/** Most rows re-sealed in one transaction, since people's writes wait for it. */
const MAX_ROWS = 200
const MAX_BYTES = 8 * 1024 * 1024
/** Locked rows are left for the next pass; give up when no pass gets any further for this long. */
const STANDSTILL_MS = 60_000
const PASS_PAUSE_MS = 200

export interface Resealed {
  /** Rows that were re-sealed. */
  rows: number
  /** Rows with a value that no key on the ring opens: lost before this, and left alone. */
  unreadable: number
}

/**
 * Re-seals every value in a column that is not under the ring's current key. Goes over the table
 * until only values that cannot be opened are left, so rows written meanwhile are found too; may be
 * interrupted and started again at any point.
 * @throws Error when others keep rows locked for too long
 */
export async function resealPlace(pool: pg.Pool, place: SealedPlace, ring: KeyRing): Promise<Resealed> {
  const secrets = createSecrets(ring)
  const header = headerOf(ring.current)
  const total: Resealed = { rows: 0, unreadable: 0 }
  for (let deadline = Date.now() + STANDSTILL_MS; ; ) {
    const { rows, unreadable } = await passOver(pool, place, header, secrets)
    total.rows += rows
    total.unreadable = unreadable
    const left = await countInPlace(pool, place, header)
    if (left <= unreadable) return total
    if (rows) deadline = Date.now() + STANDSTILL_MS
    if (Date.now() > deadline)
      throw new Error(`${left} values of ${place.table} are held by somebody else: run it again`)
    if (!rows) await new Promise((resolve) => setTimeout(resolve, PASS_PAUSE_MS))
  }
}

/**
 * One pass over the table as it is now, page by page, which needs no order, index or primary key.
 */
async function passOver(pool: pg.Pool, place: SealedPlace, header: Buffer, secrets: Secrets): Promise<Resealed> {
  const total: Resealed = { rows: 0, unreadable: 0 }
  const pages = await pagesOf(pool, place)
  for (let page = 0; page < pages; page += PAGES_AT_ONCE) {
    const { rows: found } = await pool.query<FoundRow>(
      `SELECT ctid::text AS row, octet_length(${textOf(place)}) AS bytes FROM ${place.table}
       WHERE ctid >= $1::tid AND ctid < $2::tid AND ${isUnderOtherKey(place, header)}`,
      [`(${page},0)`, `(${page + PAGES_AT_ONCE},0)`],
    )
    for (const batch of batchesOf(found)) {
      const { rows, unreadable } = await resealRows(pool, place, batch, secrets)
      total.rows += rows
      total.unreadable += unreadable
    }
  }
  return total
}

interface FoundRow {
  row: string
  bytes: number
}

async function pagesOf(db: Queryable, { table }: SealedPlace): Promise<number> {
  const { rows } = await db.query<{ pages: string }>(
    `SELECT pg_relation_size($1::regclass) / current_setting('block_size')::int AS pages`,
    [table],
  )
  return Number(rows[0]?.pages ?? 0)
}

function batchesOf(found: readonly FoundRow[]): string[][] {
  const batches: string[][] = []
  let bytes = 0
  for (const { row, bytes: own } of found) {
    const last = batches.at(-1)
    if (last && last.length < MAX_ROWS && bytes + own <= MAX_BYTES) last.push(row)
    else {
      batches.push([row])
      bytes = 0
    }
    bytes += own
  }
  return batches
}

/**
 * One transaction. Rows locked by others are skipped, so that this never takes part in a deadlock;
 * the old value is compared, so that nothing newer is overwritten.
 */
async function resealRows(
  pool: pg.Pool,
  place: SealedPlace,
  wanted: readonly string[],
  secrets: Secrets,
): Promise<Resealed> {
  const client = await pool.connect()
  try {
    return await inTransaction(client, () => resealLocked(client, place, wanted, secrets))
  } finally {
    client.release()
  }
}

async function resealLocked(
  client: pg.ClientBase,
  place: SealedPlace,
  wanted: readonly string[],
  secrets: Secrets,
): Promise<Resealed> {
  const { rows } = await client.query<{ row: string; old: Buffer | string }>(
    `SELECT ctid::text AS row, ${textOf(place)} AS old FROM ${place.table} WHERE ctid = ANY($1::tid[]) FOR UPDATE SKIP LOCKED`,
    [wanted],
  )
  const fresh = rows.flatMap(({ row, old }) => {
    const value = sealAnew(old, secrets)
    return value === undefined ? [] : [{ row, old, value }]
  })
  const type = place.kind === 'value' ? 'bytea' : 'text'
  const { rowCount } = await client.query(
    `UPDATE ${place.table} AS t SET ${place.column} = ${asStored(place, 'v.fresh')}
       FROM unnest($1::tid[], $2::${type}[], $3::${type}[]) AS v (row, old, fresh)
       WHERE t.ctid = v.row AND t.${place.column} = ${asStored(place, 'v.old')}`,
    [fresh.map(({ row }) => row), fresh.map(({ old }) => old), fresh.map(({ value }) => value)],
  )
  return { rows: rowCount ?? 0, unreadable: rows.length - fresh.length }
}

const textOf = ({ column, kind }: SealedPlace) => (kind === 'value' ? column : `${column}::text`)
const asStored = ({ kind }: SealedPlace, name: string) => (kind === 'value' ? name : `${name}::jsonb`)

/** The value re-sealed under the current key; undefined when part of it cannot be opened. */
function sealAnew(old: Buffer | string, secrets: Secrets): Buffer | string | undefined {
  try {
    if (typeof old !== 'string') return secrets.seal(secrets.open(old))
    // Replaced in the text: parsing could change numbers that JavaScript cannot hold exactly.
    return old.replace(SEALED_IN_JSON, (_whole, name: string, value: string) => {
      const plain = secrets.open(Buffer.from(value, 'base64'))
      return `${name}"${secrets.seal(plain).toString('base64')}"`
    })
  } catch {
    return undefined
  }
}

/**
 * As PostgreSQL writes it; inside of a text the quotation marks would have a backslash before them.
 */
const SEALED_IN_JSON = /("\$sealed": )"([A-Za-z0-9+/=]*)"/g
