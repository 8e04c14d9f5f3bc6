import { and, eq, inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { assetsSystemUser } from '../tables.ts'

/** The system user that an account is linked to, by which it inherits. */
export type AccountUser = Pick<
  typeof assetsSystemUser.$inferSelect,
  'id' | 'org_id' | 'name' | 'username' | 'username_same_with_user'
>

/** The system users of accounts by id, in one query. */
export async function accountUsers(
  db: Database,
  accounts: readonly { systemuser: string | null }[],
): Promise<ReadonlyMap<string, AccountUser>> {
  const ids = [...new Set(accounts.flatMap(({ systemuser }) => systemuser ?? []))]
  if (!ids.length) return new Map()
  const { id, org_id, name, username, username_same_with_user } = assetsSystemUser
  const rows = await db
    .select({ id, org_id, name, username, username_same_with_user })
    .from(assetsSystemUser)
    .where(inArray(id, ids))
  return new Map(rows.map((row) => [row.id, row]))
}

/** `name(username)`, with `*` where the user name is the person's own. */
export const accountUserInWords = ({ name, username, username_same_with_user }: AccountUser): string =>
  `${name}(${username_same_with_user ? '*' : username})`

/** An account's user name: its own, else its system user's, `*` where that is the person's. */
export const loginName = (own: string, user: AccountUser | undefined): string =>
  own || (user?.username_same_with_user ? '*' : (user?.username ?? ''))

/**
 * SQL: whether an account has that user name, of its own or its system user's. The few system users are looked up
 * first: most names have none, and then an index has the accounts in order.
 */
export async function hasUsername(
  { username, systemuser }: Record<'username' | 'systemuser', SQLWrapper>,
  value: string,
  { db }: { db: Database },
): Promise<SQL> {
  const users = await db
    .select({ id: assetsSystemUser.id })
    .from(assetsSystemUser)
    .where(and(eq(assetsSystemUser.username, value), eq(assetsSystemUser.username_same_with_user, false)))
  const own = sql`${username} = ${value}`
  if (!users.length) return own
  return sql`(${own} OR ${username} = '' AND ${systemuser} = ANY(${sql.param(users.map(({ id }) => id))}::uuid[]))`
}
