import { createHash } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { announceGone, type ChainedLog, forgetBefore, sealLog } from './chain.ts'
import { rootSigner } from './root-key.ts'
import { signRoot } from './roots.ts'
import { auditsCommandEntry, auditsRunEntry, auditsSessionEntry, type EntryKind } from './tables.ts'

/**
 * Removes rows from before a date that are chained by entries, with `remove`, and then what was
 * chained of them. A verifier takes a row without entries, or an entry without its row, for
 * tampering unless a root says that rows of that age may be gone: so that is noted before the first
 * goes, and signed once all have.
 */
export async function forgetWithEntries(
  kernel: Kernel,
  logs: readonly ChainedLog[],
  before: Date,
  remove: () => Promise<void>,
): Promise<void> {
  const { db, secrets } = kernel
  for (const log of logs) await announceGone(db, secrets, log, before)
  await remove()
  for (const log of logs) {
    await sealLog(db, secrets, log)
    await forgetBefore(db, secrets, log, before)
  }
  await signRoot(kernel)
}

/** The server's statement about a row: see the verifier (deploy/audit/verify-audits.mjs). */
interface Claim {
  kind: EntryKind
  row_id: string
  date: Date | SQL
  claim: string
}

/**
 * Entries about the fate of rows. They are signed, since the holder of the database could write
 * them for a row that they took out or changed.
 */
async function chainClaims(
  kernel: Pick<Kernel, 'db' | 'secrets'>,
  db: Database,
  table: typeof auditsSessionEntry | typeof auditsCommandEntry | typeof auditsRunEntry,
  claims: readonly Claim[],
): Promise<void> {
  if (!claims.length) return
  const sign = await rootSigner(kernel)
  const rows = await Promise.all(
    claims.map(async ({ kind, row_id, date, claim }) => ({
      kind,
      row_id,
      date,
      body: `${claim}:${await sign(`${claim}\n${kind}\n${row_id}`)}`,
    })),
  )
  await db.insert(table).values(rows as (typeof table.$inferInsert)[])
}

/**
 * Notes that commands go to a storage outside: their rows leave the database, what was chained of
 * them stays.
 */
export const chainMovedCommands = (
  kernel: Pick<Kernel, 'db' | 'secrets'>,
  db: Database,
  storage: string,
  commands: readonly { id: string; timestamp: number }[],
): Promise<void> =>
  chainClaims(
    kernel,
    db,
    auditsCommandEntry,
    commands.map(({ id, timestamp }) => ({
      kind: 'command',
      row_id: id,
      date: new Date(timestamp * 1000),
      claim: `moved:${storage}`,
    })),
  )

/**
 * Notes that runs of tasks go with the version that they ran, whatever their age.
 * @param rows a query of the `kind`, `row_id` and `date` of each run and each of its outcomes
 */
export async function chainForgottenRuns(
  kernel: Pick<Kernel, 'db' | 'secrets'>,
  db: Database,
  rows: SQL,
): Promise<void> {
  const { rows: gone } = await db.execute<{ kind: EntryKind; row_id: string; date: string }>(
    sql`SELECT gone.kind, gone.row_id, gone.date::text AS date FROM (${rows}) gone`,
  )
  await chainClaims(
    kernel,
    db,
    auditsRunEntry,
    gone.map(({ kind, row_id, date }) => ({
      kind,
      row_id,
      date: sql`${date}::timestamptz`,
      claim: 'gone:version',
    })),
  )
}

/**
 * Notes that sessions which were over say something else from now on, as the server learnt better.
 * To be called in the transaction that changed them.
 */
export async function chainAmendedSessions(
  kernel: Pick<Kernel, 'db' | 'secrets'>,
  db: Database,
  ids: readonly string[],
): Promise<void> {
  if (!ids.length) return
  const { rows } = await db.execute<{ row_id: string; body: string; date: string }>(sql`
    SELECT DISTINCT ON (row_id) row_id, body, date::text AS date FROM ${auditsSessionEntry}
    WHERE chain_number IS NULL AND kind = 'session' AND row_id = ANY(${sql.param([...ids])}::uuid[]) AND body LIKE '[%'
    ORDER BY row_id, id DESC`)
  await chainClaims(
    kernel,
    db,
    auditsSessionEntry,
    rows.map(({ row_id, body, date }) => ({
      kind: 'session',
      row_id,
      date: sql`${date}::timestamptz`,
      claim: `amended:${sumOfValues(body)}`,
    })),
  )
}

/** Without what the row refers to, which comes last and is emptied where that is deleted. */
const sumOfValues = (body: string) =>
  createHash('sha256')
    .update(JSON.stringify((JSON.parse(body) as unknown[]).slice(0, -1)))
    .digest('hex')
