/**
 * Versions of the secrets with which a row logs in. The *current* one is in the row itself. A
 * secret that is being changed on a machine is a *candidate* first, stored before anything is sent;
 * once a login with it has worked it is promoted, and the former current one is *previous*. Each
 * step is one transaction, so that a crash between the machine and the database leaves both secrets
 * (docs/rules/accounts.md#change_auth_run).
 * Versions are sealed like every secret; only the vault opens them.
 */
import { and, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../database/database.ts'
import { AppError, notFound } from '../errors/app-error.ts'
import { kernelSecretVersion, type SecretOwnerKind } from './tables.ts'
import type { Vault } from './vault.ts'

/** A row that keeps login secrets, in columns named as those of `kernel_secret_version`. */
export interface SecretRow {
  kind: SecretOwnerKind
  table: PgTable
  id: string
}

/** The secrets of a login; those that are absent stay as they are. */
export interface LoginSecrets {
  password?: string
  private_key?: string
  token?: string
  /** The public half of the private key. */
  public_key?: string
  ssh_key_fingerprint?: string
}

export type SecretVersion = typeof kernelSecretVersion.$inferSelect

/** How many previous versions of each row are kept. */
export const MAX_PREVIOUS = 10

const SEALED = ['password_sealed', 'private_key_sealed', 'token_sealed'] as const
/** Columns that belong to the private key and change with it. */
const KEY_FACTS = ['public_key', 'ssh_key_fingerprint'] as const

/**
 * Stores a candidate. Throws 404 when the row is gone and 409 while it has a candidate already: that
 * one may be on the machine, and must be promoted or discarded first.
 * @param reason who or what changes the secret: for people who read the history, never a secret
 */
export async function propose(
  db: Database,
  secrets: Pick<Vault, 'seal'>,
  row: SecretRow,
  { password, private_key, token, ...keyFacts }: LoginSecrets,
  reason: string,
): Promise<void> {
  const seal = (plain: string | undefined) => (plain ? secrets.seal(plain) : null)
  const stored = await db.transaction(async (tx) => {
    await lock(tx, row)
    return tx
      .insert(kernelSecretVersion)
      .values({
        owner_kind: row.kind,
        owner_id: row.id,
        state: 'candidate',
        version: sql`${currentVersion(row)} + 1`,
        password_sealed: seal(password),
        private_key_sealed: seal(private_key),
        token_sealed: seal(token),
        ...keyFacts,
        reason,
      })
      .onConflictDoNothing()
      .returning({ id: kernelSecretVersion.id })
  })
  if (!stored.length)
    throw new AppError(409, 'secret_is_changing', 'The secret is being changed already: finish or discard that first')
}

/** The secret that may already be on the machine; undefined unless one is being changed. */
export async function candidateOf(db: Database, row: SecretRow): Promise<SecretVersion | undefined> {
  const [found] = await db.select().from(kernelSecretVersion).where(versionsOf(row, 'candidate'))
  return found
}

/** Former secrets, the latest first. */
export async function previousOf(db: Database, row: SecretRow): Promise<SecretVersion[]> {
  return db
    .select()
    .from(kernelSecretVersion)
    .where(versionsOf(row, 'previous'))
    .orderBy(desc(kernelSecretVersion.version), desc(kernelSecretVersion.id))
}

/**
 * Makes the candidate current, once a login with it has worked, and the current secrets previous.
 * Throws 404 when the row is gone and 409 when it has no candidate.
 */
export async function promote(db: Database, row: SecretRow): Promise<void> {
  await db.transaction(async (tx) => {
    await lock(tx, row)
    const candidate = await candidateOf(tx, row)
    if (!candidate) throw new AppError(409, 'secret_is_not_changing', 'No secret is being changed here')
    await keepPrevious(tx, row)
    const columns = getTableColumns(row.table)
    const replaced = [
      ...SEALED.filter((name) => candidate[name]),
      ...(candidate.private_key_sealed ? KEY_FACTS : []),
    ].filter((name) => columns[name])
    const changes = replaced.map((name) => sql`${sql.identifier(name)} = ${candidate[name]}`)
    if (columns.version) changes.push(sql`version = version + 1`)
    await tx.execute(sql`UPDATE ${row.table} SET ${sql.join(changes, sql`, `)} WHERE id = ${row.id}`)
    await discard(tx, row)
  })
}

/** Deletes the candidate: it was never used, or a login has shown that the current secret still is. */
export async function discard(db: Database, row: SecretRow): Promise<void> {
  await db.delete(kernelSecretVersion).where(versionsOf(row, 'candidate'))
}

/**
 * Takes a candidate for previous that was sent to a machine which goes on with the current secret:
 * should it arrive there after all, it is not lost.
 */
export async function shelve(db: Database, row: SecretRow): Promise<void> {
  await db.transaction(async (tx) => {
    await lock(tx, row)
    await tx.update(kernelSecretVersion).set({ state: 'previous' }).where(versionsOf(row, 'candidate'))
    await keepLatest(tx, row.kind, [row.id])
  })
}

/**
 * Keeps the current secrets, if any, as previous. Call it in the transaction that replaces them.
 */
export async function keepPrevious(db: Database, { id, ...rows }: SecretRow): Promise<void> {
  await keepAllPrevious(db, rows, [id])
}

/** The same for many rows of a table at once. */
export async function keepAllPrevious(
  db: Database,
  { kind, table }: Omit<SecretRow, 'id'>,
  ids: readonly string[],
): Promise<void> {
  const columns = getTableColumns(table)
  const names = (wanted: readonly string[]) =>
    wanted.filter((name) => columns[name]).map((name) => sql.identifier(name))
  const kept = sql.join(names([...SEALED, ...KEY_FACTS]), sql`, `)
  const owners = sql`owner_kind = ${kind} AND state = 'previous'`
  const version = columns.version
    ? sql`version`
    : sql`(SELECT coalesce(max(v.version), 0) + 1 FROM ${kernelSecretVersion} v WHERE ${owners} AND v.owner_id = kept.id)`
  await db.execute(sql`
    INSERT INTO ${kernelSecretVersion} (owner_kind, owner_id, state, version, ${kept})
    SELECT ${kind}, id, 'previous', ${version}, ${kept} FROM ${table} AS kept
    WHERE id = ANY(${sql.param([...ids])}::uuid[]) AND num_nonnulls(${sql.join(names(SEALED), sql`, `)}) > 0`)
  await keepLatest(db, kind, ids)
}

async function keepLatest(db: Database, kind: SecretOwnerKind, ids: readonly string[]): Promise<void> {
  await db.execute(sql`
    DELETE FROM ${kernelSecretVersion} WHERE id IN (
      SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY owner_id ORDER BY version DESC, id DESC) AS place
        FROM ${kernelSecretVersion}
        WHERE owner_kind = ${kind} AND state = 'previous' AND owner_id = ANY(${sql.param([...ids])}::uuid[])
      ) ranked WHERE place > ${MAX_PREVIOUS})`)
}

/** SQL: whether the current secrets of a row took the place of others after a moment. */
export const wasReplaced = ({ kind, id, since }: Record<'kind' | 'id' | 'since', SQL>): SQL => sql`
  EXISTS (SELECT 1 FROM ${kernelSecretVersion} v
    WHERE v.owner_kind = ${kind} AND v.owner_id = ${id} AND v.state = 'previous' AND v.date_created > ${since})`

const versionsOf = ({ kind, id }: SecretRow, state: SecretVersion['state']) =>
  and(
    eq(kernelSecretVersion.owner_kind, kind),
    eq(kernelSecretVersion.owner_id, id),
    eq(kernelSecretVersion.state, state),
  )

/** Number of the current version: from the row if it counts them, else one after the last previous. */
function currentVersion(row: SecretRow): SQL {
  if (getTableColumns(row.table).version) return sql`(SELECT version FROM ${row.table} WHERE id = ${row.id})`
  return sql`(SELECT coalesce(max(version), 0) + 1 FROM ${kernelSecretVersion} WHERE ${versionsOf(row, 'previous')})`
}

/** Serialises writers of one row's secrets. */
async function lock(db: Database, { table, id }: SecretRow): Promise<void> {
  const { rows } = await db.execute(sql`SELECT 1 FROM ${table} WHERE id = ${id} FOR UPDATE`)
  if (!rows.length) throw notFound()
}
