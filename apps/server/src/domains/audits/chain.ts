import { createHash } from 'node:crypto'
import { eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Vault } from '../../kernel/secrets/vault.ts'
import { isRootSigned, rootSigner } from './root-key.ts'
import { auditsChain } from './tables.ts'

/**
 * Audit rows are chained by hash: the hash of each sealed row covers its content and the hash
 * before it, so a row that is changed, removed or inserted breaks the chain from there on. Sealing
 * happens a little later and in one place: chaining inside the writers' transactions would make
 * every change in the product wait for every other. Columns are listed here, not taken from the
 * table: a column added later must not break the hashes of rows that were there before.
 */
const ENTRY = ['id', 'kind', 'row_id', 'body', 'date'] as const
const CHAINS = {
  login_log: [
    'audits_login_log',
    'datetime',
    [
      ...['id', 'username', 'type', 'ip', 'city', 'user_agent', 'mfa', 'reason', 'backend', 'status', 'datetime'],
      ...['user_id', 'org_ids'],
    ],
  ],
  operate_log: [
    'audits_operate_log',
    'datetime',
    [
      ...['id', 'user', 'action', 'resource_type', 'resource', 'remote_addr', 'datetime', 'org_id'],
      ...['user_id', 'sign_in_id', 'object_type', 'object_id', 'changes'],
    ],
  ],
  ftp_log: [
    'audits_ftp_log',
    'date_start',
    [
      ...['id', 'user', 'remote_addr', 'asset', 'system_user', 'org_id', 'operate', 'filename', 'is_success'],
      ...['date_start', 'user_id', 'asset_id', 'session_id', 'sign_in_id'],
    ],
  ],
  password_change_log: [
    'audits_password_change_log',
    'datetime',
    ['id', 'user', 'change_by', 'remote_addr', 'datetime', 'user_id', 'change_by_id', 'sign_in_id', 'org_ids'],
  ],
  secret_look: [
    'kernel_secret_look',
    'date_created',
    [
      ...['id', 'how', 'reason', 'owner_kind', 'owner_id', 'owner', 'org_id', 'user_id', 'user', 'remote_addr'],
      'date_created',
    ],
  ],
  // Rows of other domains, by what is chained of them (entries.ts).
  session: ['audits_session_entry', 'date', ENTRY],
  command: ['audits_command_entry', 'date', ENTRY],
  command_execution: ['audits_execution_entry', 'date', ENTRY],
  ticket: ['audits_ticket_entry', 'date', ENTRY],
  task_run: ['audits_run_entry', 'date', ENTRY],
} as const satisfies Record<string, readonly [table: string, dateColumn: string, columns: readonly string[]]>

export type ChainedLog = keyof typeof CHAINS
export const CHAINED_LOGS = Object.keys(CHAINS) as ChainedLog[]

/**
 * Where a chain begins (rows up to number `first` were removed by retention) and where it ends.
 * Hashes in hex.
 */
export interface Ends {
  first: number
  firstHash: string
  last: number
  lastHash: string
  /** For logs of entries: rows from before this (ISO 8601) may be gone. */
  goneBefore?: string
}

/** The ends of a log's chain; of none where nothing was sealed yet. */
export const endsOf = async (db: Database, secrets: Vault, log: ChainedLog): Promise<Ends> =>
  (await readEnds(db, secrets, log)) ?? NO_ROWS

const NO_ROWS: Ends = { first: 0, firstHash: '', last: 0, lastHash: '' }
const BATCH = 2000
/** Entries of commands, which may be of a thousand each. */
const BATCH_OF_COMMANDS = 200
const batchOf = (log: ChainedLog) => (log === 'command' ? BATCH_OF_COMMANDS : BATCH)
const DAY_MS = 86_400_000

export interface ChainReport {
  intact: boolean
  /** Rows whose hash was checked. */
  rows: number
  /** Number in the chain of the first row that is wrong or missing. */
  brokenAt?: number
}

const HAVE_LATER: ReadonlySet<ChainedLog> = new Set(['login_log', 'operate_log', 'ftp_log', 'password_change_log'])
/**
 * Columns that came later: chained up to the last one that has a value, so that rows from before keep
 * their hashes.
 */
const LATER = `CASE WHEN "arrived_from" IS NOT NULL THEN jsonb_build_array("on_behalf_of", "arrived_from")
  WHEN "on_behalf_of" IS NOT NULL THEN jsonb_build_array("on_behalf_of") ELSE '[]' END`

const bodyOf = (log: ChainedLog) => {
  const body = `jsonb_build_array(${CHAINS[log][2].map((name) => `"${name}"`).join(', ')})`
  return sql.raw(HAVE_LATER.has(log) ? `(${body} || ${LATER})::text` : `${body}::text`)
}
/** The table that is chained. */
export const chainedTable = (log: ChainedLog): string => CHAINS[log][0]
const tableOf = (log: ChainedLog) => sql.raw(chainedTable(log))
const hashOf = (before: string, body: string) =>
  createHash('sha256').update(before).update('\n').update(body).digest('hex')

/**
 * Seals what has been written since the last time, in order; answers how many rows. One node at a
 * time works on a log.
 */
export async function sealLog(db: Database, secrets: Vault, log: ChainedLog): Promise<number> {
  let sealed = 0
  for (;;) {
    const done = await db.transaction((tx) => sealBatch(tx, secrets, log))
    sealed += done
    if (done < batchOf(log)) return sealed
  }
}

/** Whether any log has rows to seal. */
export const anyUnsealed = (): SQL =>
  sql.join(
    CHAINED_LOGS.map((log) => sql`EXISTS (SELECT 1 FROM ${tableOf(log)} WHERE chain_number IS NULL)`),
    sql` OR `,
  )

async function sealBatch(db: Database, secrets: Vault, log: ChainedLog): Promise<number> {
  await prepare(db, log)
  const ends = (await readEnds(db, secrets, log)) ?? NO_ROWS
  const { rows } = await db.execute<{ id: string; body: string }>(
    sql`SELECT id::text, ${bodyOf(log)} AS body FROM ${tableOf(log)} WHERE chain_number IS NULL ORDER BY id LIMIT ${batchOf(log)}`,
  )
  if (!rows.length) return 0
  let hash = ends.lastHash
  const hashes = rows.map(({ body }) => {
    hash = hashOf(hash, body)
    return hash
  })
  await db.execute(sql`
    UPDATE ${tableOf(log)} AS log SET chain_number = ${ends.last}::bigint + new.position, chain_hash = decode(new.hash, 'hex')
    FROM unnest(${sql.param(rows.map(({ id }) => id))}::uuid[], ${sql.param(hashes)}::text[]) WITH ORDINALITY AS new (id, hash, position)
    WHERE log.id = new.id`)
  await writeEnds(db, secrets, log, { ...ends, last: ends.last + rows.length, lastHash: hash })
  return rows.length
}

/**
 * Checks a log's chain from end to end in one snapshot. Rows that are not sealed yet are not
 * checked: call `sealLog` first where they matter. Once sealed rows exist, a missing or forged
 * record of the ends counts as broken.
 */
export async function verifyLog(db: Database, secrets: Vault, log: ChainedLog): Promise<ChainReport> {
  return db.transaction(
    async (tx) => {
      await tx.execute(sql`SELECT set_config('TimeZone', 'UTC', true)`)
      const ends = await readEnds(tx, secrets, log).catch(() => undefined)
      if (!ends) {
        const { rows } = await tx.execute<{ number: string }>(
          sql`SELECT min(chain_number) AS number FROM ${tableOf(log)}`,
        )
        const number = rows[0]?.number
        return number ? { intact: false, rows: 0, brokenAt: Number(number) } : { intact: true, rows: 0 }
      }
      return walk(tx, log, ends)
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

async function walk(db: Database, log: ChainedLog, ends: Ends): Promise<ChainReport> {
  let number = ends.first
  let hash = ends.firstHash
  for (;;) {
    const { rows } = await db.execute<{ number: string; hash: string; body: string }>(sql`
      SELECT chain_number::text AS number, encode(chain_hash, 'hex') AS hash, ${bodyOf(log)} AS body FROM ${tableOf(log)}
      WHERE chain_number > ${number} ORDER BY chain_number LIMIT ${batchOf(log)}`)
    for (const row of rows) {
      hash = hashOf(hash, row.body)
      number += 1
      if (Number(row.number) !== number || row.hash !== hash)
        return { intact: false, rows: number - ends.first - 1, brokenAt: number }
    }
    if (rows.length < batchOf(log)) break
  }
  const rows = number - ends.first
  // Rows removed from the end, or appended to it, disagree with the sealed record.
  return number === ends.last && hash === ends.lastHash
    ? { intact: true, rows }
    : { intact: false, rows, brokenAt: Math.min(number, ends.last) + 1 }
}

/**
 * Removes sealed rows older than so many days, a batch at a time, and moves the chain's beginning.
 * Answers how many rows went.
 */
export const forgetOld = (db: Database, secrets: Vault, log: ChainedLog, days: number): Promise<number> =>
  forgetBefore(db, secrets, log, new Date(Date.now() - days * DAY_MS))

/** The same by a date. */
export async function forgetBefore(db: Database, secrets: Vault, log: ChainedLog, before: Date): Promise<number> {
  for (let total = 0; ; ) {
    const gone = await forgetBatch(db, secrets, log, before)
    total += gone
    if (gone < BATCH) return total
  }
}

async function forgetBatch(db: Database, secrets: Vault, log: ChainedLog, before: Date): Promise<number> {
  const date = sql.raw(CHAINS[log][1])
  return db.transaction(async (tx) => {
    await prepare(tx, log)
    const ends = await readEnds(tx, secrets, log)
    if (!ends) return 0
    const { rows } = await tx.execute<{ number: string | null }>(
      sql`SELECT min(chain_number)::text AS number FROM ${tableOf(log)}
        WHERE chain_number > ${ends.first} AND chain_number <= ${ends.first + BATCH} AND ${date} >= ${before.toISOString()}::timestamptz`,
    )
    const upTo = Math.min(rows[0]?.number ? Number(rows[0].number) - 1 : ends.last, ends.first + BATCH)
    const { rows: last } = await tx.execute<{ hash: string }>(
      sql`SELECT encode(chain_hash, 'hex') AS hash FROM ${tableOf(log)} WHERE chain_number = ${upTo}`,
    )
    if (upTo <= ends.first || !last[0]) return 0
    const { rowCount } = await tx.execute(sql`DELETE FROM ${tableOf(log)} WHERE chain_number <= ${upTo}`)
    await writeEnds(tx, secrets, log, { ...ends, first: upTo, firstHash: last[0].hash })
    return rowCount ?? 0
  })
}

/** Notes that rows from before a date are about to go, before the first of them does. */
export async function announceGone(db: Database, secrets: Vault, log: ChainedLog, before: Date): Promise<void> {
  await db.transaction(async (tx) => {
    await prepare(tx, log)
    const ends = (await readEnds(tx, secrets, log)) ?? NO_ROWS
    await writeEnds(tx, secrets, log, { ...ends, goneBefore: before.toISOString() })
  })
}

/**
 * Lets one worker at a time work on a log, and has dates written alike whatever the server's zone.
 */
async function prepare(db: Database, log: ChainedLog): Promise<void> {
  await db.execute(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`audits.chain.${log}`}, 0)), set_config('TimeZone', 'UTC', true)`,
  )
}

/**
 * Sealed text is not yet the server's word: everybody with an account can have any text sealed, as
 * a password, and the holder of the database can put it here. So the ends are signed with the key
 * of the roots; another key there is found by the roots, which are signed with it as well. Throws
 * where they are not signed.
 */
async function readEnds(db: Database, secrets: Vault, log: ChainedLog): Promise<Ends | undefined> {
  const [row] = await db.select({ ends: auditsChain.ends_sealed }).from(auditsChain).where(eq(auditsChain.log, log))
  if (!row) return undefined
  const { signature, ...ends } = JSON.parse(secrets.open('audit', log)(row.ends)) as Ends & { signature?: string }
  if (!signature || !(await isRootSigned({ db, secrets }, textOf(log, ends), signature)))
    throw new Error(`the ends of the chain ${log} are not what the server wrote`)
  return ends
}

const textOf = (log: ChainedLog, ends: Ends) => `audits.chain ${log} ${JSON.stringify(ends)}`

async function writeEnds(db: Database, secrets: Vault, log: ChainedLog, ends: Ends): Promise<void> {
  const sign = await rootSigner({ db, secrets })
  const signature = await sign(textOf(log, ends))
  const ends_sealed = secrets.seal(JSON.stringify({ ...ends, signature }))
  await db
    .insert(auditsChain)
    .values({ log, ends_sealed })
    .onConflictDoUpdate({ target: auditsChain.log, set: { ends_sealed } })
}
