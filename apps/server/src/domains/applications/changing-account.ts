import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { type Credentials, openLogin, type SealedLogin } from '../../kernel/secrets/login.ts'
import { kernelSecretVersion } from '../../kernel/secrets/tables.ts'
import type { Opener } from '../../kernel/secrets/vault.ts'
import { keepAllPrevious, promote, type SecretRow } from '../../kernel/secrets/versions.ts'
import { systemUserLogin } from '../system-users/index.ts'
import { applicationsAccount } from './tables.ts'

/**
 * What others need to change the secret of an account on its application: the row whose secrets
 * have versions. The order of steps is `domains/accounts/rotation/`.
 */
export const applicationAccountRow = (id: string): SecretRow => ({
  kind: 'application_account',
  table: applicationsAccount,
  id,
})

/** Ids of the accounts that log in to an application by one name: they are one account there. */
const ofName = (app: SQL | string, username: SQL | string): SQL => sql`
  SELECT a.id FROM applications_account a LEFT JOIN assets_listed_system_user s ON s.id = a.systemuser
  WHERE a.app = ${app} AND CASE WHEN a.username <> '' THEN a.username
    WHEN NOT s.username_same_with_user THEN s.username END = ${username}`

interface NamedAccount extends Record<string, unknown> {
  id: string
  app: string
  username: string
  systemuser: string | null
  /** Protocol of its system user, where that logs in by the same name. */
  protocol: string | null
}

/** The accounts of applications that log in by one name, with the system user of each. */
export async function accountsOfApplications(db: Database, apps: readonly string[]): Promise<NamedAccount[]> {
  const { rows } = await db.execute<NamedAccount>(sql`
    SELECT a.id, a.app, coalesce(nullif(a.username, ''), s.username) AS username, a.systemuser,
      CASE WHEN a.username IN ('', s.username) AND NOT s.username_same_with_user THEN s.protocol END AS protocol
    FROM applications_account a LEFT JOIN assets_listed_system_user s ON s.id = a.systemuser
    WHERE a.app = ANY(${sql.param([...apps])}::uuid[]) AND (a.username <> '' OR NOT s.username_same_with_user) ORDER BY a.id`)
  return rows
}

/**
 * The account by which secrets of that name are changed on an application: the one that goes before
 * all others, else the oldest that is linked to a system user; made for this one where there is none.
 * Undefined for a system user without a name of its own, and where either is gone.
 */
export async function changingAccountOf(
  db: Database,
  { app, systemUser }: { app: string; systemUser: string },
): Promise<{ id: string; username: string } | undefined> {
  const { rows: users } = await db.execute<{ username: string }>(sql`
    SELECT s.username FROM assets_listed_system_user s JOIN applications_listed_application a ON a.id = ${app} AND a.org_id = s.org_id
    WHERE s.id = ${systemUser} AND NOT s.username_same_with_user AND s.username <> ''`)
  const username = users[0]?.username
  if (username === undefined) return undefined
  const find = async () => {
    const { rows } = await db.execute<{ id: string }>(sql`
      SELECT id FROM applications_account WHERE id IN (${ofName(app, username)})
      ORDER BY systemuser IS NOT NULL, num_nonnulls(password_sealed, private_key_sealed) = 0, date_created, id LIMIT 1`)
    return rows[0]
  }
  const found = await find()
  if (!found) await db.insert(applicationsAccount).values({ app, systemuser: systemUser }).onConflictDoNothing()
  const account = found ?? (await find())
  return account && { id: account.id, username }
}

/** The secrets that accounts of a name on an application are about to get; undefined while nobody changes them. */
export async function applicationCandidate(
  db: Database,
  app: string,
  username: string,
): Promise<SealedLogin | undefined> {
  const { rows } = await db.execute<SealedLogin & Record<string, unknown>>(sql`
    SELECT password_sealed, private_key_sealed FROM ${kernelSecretVersion}
    WHERE owner_kind = 'application_account' AND state = 'candidate' AND owner_id IN (${ofName(app, username)}) LIMIT 1`)
  return rows[0]
}

/**
 * The secrets with which one logs in by an account of `changingAccountOf`: its own, else those of
 * other accounts of that name on the application, else of their system users.
 */
export async function inheritedApplicationLogin(
  db: Database,
  { id, app, username }: { id: string; app: string; username: string },
  open: Opener,
): Promise<Omit<Credentials, 'username'> | undefined> {
  const held = await heldLogin(db, { id, app, username })
  return held && openLogin(held, open)
}

/** Whether that login is kept outside of Sallyport, where alone it is changed. */
export async function isApplicationLoginOutside(
  db: Database,
  account: { id: string; app: string; username: string },
): Promise<boolean> {
  return Boolean((await heldLogin(db, account))?.secret_source)
}

type Held = SealedLogin & { secret_source: string | null }

async function heldLogin(
  db: Database,
  { id, app, username }: { id: string; app: string; username: string },
): Promise<Held | undefined> {
  const { rows } = await db.execute<Held & { systemuser: string | null } & Record<string, unknown>>(sql`
    SELECT systemuser, password_sealed, private_key_sealed, secret_source FROM applications_account WHERE id IN (${ofName(app, username)})
    ORDER BY id <> ${id}, date_updated DESC`)
  const own = rows.find((row) => row.password_sealed || row.private_key_sealed || row.secret_source)
  return (
    own ??
    systemUserLogin(
      db,
      rows.flatMap(({ systemuser }) => systemuser ?? []),
    )
  )
}

/**
 * Makes the candidate of an account current, and gives it to the other accounts of that name on its
 * application. Throws 409 when it has none.
 */
export async function keepChangedApplicationSecret(
  db: Database,
  { id, app, username }: { id: string; app: string; username: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    await promote(tx, applicationAccountRow(id))
    await tx.update(applicationsAccount).set({ date_updated: sql`now()` }).where(eq(applicationsAccount.id, id))
    const same = await tx
      .select({ id: applicationsAccount.id })
      .from(applicationsAccount)
      .where(
        and(inArray(applicationsAccount.id, sql`(${ofName(app, username)})`), sql`${applicationsAccount.id} <> ${id}`),
      )
    const ids = same.map((one) => one.id)
    if (!ids.length) return
    await keepAllPrevious(tx, { kind: 'application_account', table: applicationsAccount }, ids)
    await tx.execute(sql`
      UPDATE ${applicationsAccount} AS other
      SET password_sealed = changed.password_sealed, version = other.version + 1, date_updated = now()
      FROM ${applicationsAccount} AS changed
      WHERE changed.id = ${id} AND other.id = ANY(${sql.param(ids)}::uuid[])`)
  })
}
