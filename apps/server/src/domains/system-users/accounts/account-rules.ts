import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import type { DeleteContext } from '../../../kernel/resource/mount.ts'
import { keepAllPrevious } from '../../../kernel/secrets/versions.ts'
import { clearAdminUsers } from '../../assets/index.ts'
import { assetsAccount, assetsSystemUser } from '../tables.ts'
import { accountUsers } from './account-users.ts'

/** What rules of accounts look at, whatever the account is of. */
interface AccountWriting {
  db: Database
  draft: {
    username?: string | undefined
    systemuser?: string | null | undefined
    password?: string | null | undefined
    private_key?: string | null | undefined
    public_key?: string | null | undefined
    version?: number | undefined
  }
  row: { systemuser: string | null; username: string; version: number } | undefined
}

/**
 * A user name that is the system user's is not copied into the account, which goes on inheriting
 * it. Throws 400 for an account that would have neither.
 */
export async function inheritUsername({ db, draft, row }: AccountWriting): Promise<void> {
  const systemuser = row ? row.systemuser : (draft.systemuser ?? null)
  const user = (await accountUsers(db, [{ systemuser }])).get(systemuser ?? '')
  if (!user && !(draft.username ?? row?.username)) throw invalid({ username: 'This field is required.' })
  if (user && (draft.username === user.username || user.username_same_with_user)) draft.username = ''
}

/**
 * A rule: the account stays with the target that it was entered for. Otherwise everybody who may
 * change accounts could send its secret elsewhere.
 */
export function staysWith(...fields: readonly string[]) {
  return ({ draft, row }: { draft: Record<string, unknown>; row: object | undefined }): void => {
    if (!row) return
    for (const field of fields)
      if (draft[field] !== undefined && draft[field] !== (row as Record<string, unknown>)[field])
        throw invalid({ [field]: 'An account stays with what it was made for: make another one.' })
  }
}

/** A change of the secrets makes a new version; nothing else does, and nobody chooses its number. */
export function countVersion({ draft, row }: AccountWriting): void {
  if (!row) return
  if (draft.password || draft.private_key) draft.version = row.version + 1
  else delete draft.version
}

/**
 * A free account's new secrets are those of every linked account of its asset whose system user has
 * that user name (docs/rules/accounts.md#asset_account).
 */
export async function copyToLinked({
  db,
  draft,
  stored,
}: {
  db: Database
  draft: AccountWriting['draft']
  stored: FreeAccount
}): Promise<void> {
  if (draft.password || draft.private_key) await copySecretsToLinked(db, stored)
}

export type FreeAccount = Pick<typeof assetsAccount.$inferSelect, 'id' | 'asset' | 'systemuser' | 'username'>

/** The same, of an account as it is stored. */
export async function copySecretsToLinked(db: Database, stored: FreeAccount): Promise<void> {
  if (stored.systemuser) return
  const linked = await db
    .select({ id: assetsAccount.id })
    .from(assetsAccount)
    .innerJoin(assetsSystemUser, eq(assetsSystemUser.id, assetsAccount.systemuser))
    .where(
      and(
        eq(assetsAccount.asset, stored.asset),
        eq(assetsSystemUser.username, stored.username),
        eq(assetsSystemUser.username_same_with_user, false),
        isNull(assetsAccount.secret_source),
      ),
    )
  if (!linked.length) return
  const ids = linked.map(({ id }) => id)
  await keepAllPrevious(db, { kind: 'asset_account', table: assetsAccount }, ids)
  await db.execute(sql`
    UPDATE ${assetsAccount} AS linked
    SET password_sealed = free.password_sealed, private_key_sealed = free.private_key_sealed,
      public_key = free.public_key, version = linked.version + 1, date_updated = now()
    FROM ${assetsAccount} AS free
    WHERE free.id = ${stored.id} AND linked.id = ANY(${sql.param(ids)}::uuid[])`)
}

/** Without its account, a system user can't be the asset's privileged one any more. */
export async function clearAdminUser({ db, rows }: DeleteContext<typeof assetsAccount>): Promise<void> {
  await clearAdminUsers(
    db,
    rows.flatMap(({ asset, systemuser }) => (systemuser ? [{ asset, systemuser }] : [])),
  )
}
