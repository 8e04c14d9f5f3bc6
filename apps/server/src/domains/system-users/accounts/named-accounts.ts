import { sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { SealedLogin } from '../../../kernel/secrets/login.ts'
import type { SecretOwner } from '../../../kernel/secrets/looks.ts'
import { assetsListedAsset } from '../../assets/index.ts'

/** An account with a password, and whose it is: the account's own, or that of the system user that it is linked to. */
export interface NamedAccount {
  login: SealedLogin
  owners: SecretOwner[]
}

interface FoundAccount extends Record<string, unknown> {
  asset: string
  hostname: string
  id: string
  org_id: string
  own: Buffer | null
  systemuser: string | null
  systemuser_name: string
  inherited: Buffer | null
}

/**
 * The account of that user name on each of these assets, where it has a password: the newest with one
 * of its own, else the newest that inherits one.
 */
export async function accountsNamed(
  db: Database,
  { orgId, username, assets }: { orgId: string; username: string; assets: readonly string[] },
): Promise<ReadonlyMap<string, NamedAccount>> {
  const { rows } = await db.execute<FoundAccount>(sql`
    SELECT DISTINCT ON (c.asset) c.asset, a.hostname, c.id, c.org_id, c.password_sealed AS own,
      s.id AS systemuser, s.name AS systemuser_name, s.password_sealed AS inherited
    FROM assets_account c JOIN ${assetsListedAsset} a ON a.id = c.asset LEFT JOIN assets_system_user s ON s.id = c.systemuser
    WHERE c.asset = ANY(${sql.param([...assets])}::uuid[]) AND c.org_id = ${orgId} AND coalesce(nullif(c.username, ''), s.username) = ${username}
      AND c.secret_source IS NULL AND coalesce(c.password_sealed, s.password_sealed) IS NOT NULL
    ORDER BY c.asset, c.password_sealed IS NULL, c.date_updated DESC`)
  return new Map(rows.map((row) => [row.asset, named(row, username)]))
}

function named(
  { id, org_id: orgId, hostname, own, systemuser, systemuser_name, inherited }: FoundAccount,
  username: string,
): NamedAccount {
  const account: SecretOwner = { kind: 'asset_account', id, name: `${username}@${hostname}`, orgId }
  if (own) return { login: { password_sealed: own, private_key_sealed: null }, owners: [account] }
  const from: SecretOwner[] = systemuser
    ? [{ kind: 'system_user', id: systemuser, name: `${systemuser_name}(${username})`, orgId }]
    : []
  return { login: { password_sealed: inherited, private_key_sealed: null }, owners: [account, ...from] }
}
