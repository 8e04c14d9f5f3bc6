import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { accountsOfApplications } from '../../applications/index.ts'
import type { accountsBreakGlass, accountsBreakGlassAccount } from './tables.ts'

export type Bundle = typeof accountsBreakGlass.$inferSelect
export type SealedAccount = typeof accountsBreakGlassAccount.$inferSelect

/** The accounts that a bundle is about now, with the targets that have them. */
export async function accountsOf(
  db: Database,
  { id, usernames }: Pick<Bundle, 'id' | 'usernames'>,
): Promise<Omit<SealedAccount, 'bundle' | 'date_sent'>[]> {
  const { rows: ofAssets } = await db.execute<{
    account: string
    asset: string
    username: string
    has_key: boolean
  }>(sql`
    SELECT l.id AS account, l.asset, l.username, l.public_key IS NOT NULL AS has_key
    FROM accounts_break_glass_asset b JOIN assets_account_login l ON l.asset = b.asset
    WHERE b.bundle = ${id} AND NOT l.username_same_with_user AND ${isNamed(sql`l.username`, usernames)} ORDER BY l.id`)
  const { rows: apps } = await db.execute<{ app: string }>(
    sql`SELECT app FROM accounts_break_glass_app WHERE bundle = ${id}`,
  )
  const ofApps = await accountsOfApplications(
    db,
    apps.map(({ app }) => app),
  )
  return [
    ...ofAssets.map((one) => ({ ...one, app: null })),
    ...ofApps
      .filter(({ username }) => !usernames.length || usernames.includes(username))
      .map(({ id: account, app, username }) => ({ account, asset: null, app, username, has_key: false })),
  ]
}

const isNamed = (username: SQL, usernames: readonly string[]): SQL =>
  usernames.length ? sql`${username} = ANY(${sql.param([...usernames])}::text[])` : sql`true`
