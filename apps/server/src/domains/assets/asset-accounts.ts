import type { asset } from '@sallyport/contract/resources/assets/asset.ts'
import type { SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from '../../kernel/database/database.ts'
import { Provided } from '../../kernel/provided.ts'
import type { WriteContext, WrittenContext } from '../../kernel/resource/mount.ts'
import type { assetsAsset } from './tables.ts'

export type WritingAsset = WriteContext<typeof asset, typeof assetsAsset>
export type WrittenAsset = WrittenContext<typeof asset, typeof assetsAsset>

/** What system users have to do with assets, and nodes with the system users that are bound to them. */
export interface AssetAccounts {
  /** A rule: whether the system user may be the asset's privileged one. Throws 400 where not. */
  checkAdminUser(context: WritingAsset): Promise<void>
  /** A rule: an asset was made or changed. */
  saved(context: WrittenAsset): Promise<void>
  /** These assets came into nodes, or below others. */
  placed(db: Database, assetIds: readonly string[]): Promise<void>
  /** Whether an asset, by the column of its id, is linked to a system user. */
  isLinked(asset: PgColumn, systemUserId: string): SQL
}

/** Provided by the domain of system users, a later one. */
export const assetAccounts = new Provided<AssetAccounts>('accounts of assets')
