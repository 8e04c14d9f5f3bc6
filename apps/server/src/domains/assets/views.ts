import { boolean, pgView, text, uuid } from 'drizzle-orm/pg-core'
import { ltree, orgId } from '../../kernel/database/columns.ts'

/** What SQL of other domains may read of assets; none of these views has secrets. */
export const assetsListedAsset = pgView('assets_listed_asset', {
  id: uuid('id').notNull(),
  org_id: orgId(),
  hostname: text('hostname').notNull(),
  ip: text('ip').notNull(),
  protocols: text('protocols').array().notNull(),
  /** The platform's name. */
  platform: text('platform').notNull(),
  os: text('os'),
  domain: uuid('domain'),
  comment: text('comment').notNull(),
  is_active: boolean('is_active').notNull(),
}).existing()

export const assetsListedPlatform = pgView('assets_listed_platform', {
  name: text('name').notNull(),
  base: text('base').notNull(),
}).existing()

export const assetsListedNode = pgView('assets_listed_node', {
  id: uuid('id').notNull(),
  org_id: orgId(),
  key: text('key').notNull(),
  parent_key: text('parent_key').notNull(),
  /** The key as ltree, for finding subtrees. */
  path: ltree('path').notNull(),
  value: text('value').notNull(),
  full_value: text('full_value').notNull(),
}).existing()

/** The nodes that an asset is directly in. */
export const assetsAssetInNode = pgView('assets_asset_in_node', {
  asset_id: uuid('asset_id').notNull(),
  node_id: uuid('node_id').notNull(),
}).existing()

/** The nodes that an asset is in, directly or below; a pair may appear several times. */
export const assetsAssetUnderNode = pgView('assets_asset_under_node', {
  asset_id: uuid('asset_id').notNull(),
  node_id: uuid('node_id').notNull(),
}).existing()

export const assetsFavorite = pgView('assets_favorite', {
  user_id: uuid('user_id').notNull(),
  asset_id: uuid('asset_id').notNull(),
}).existing()
