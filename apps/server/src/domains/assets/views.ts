import { boolean, integer, pgView, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, ltree, orgId } from '../../kernel/database/columns.ts'

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

export const assetsListedSystemUser = pgView('assets_listed_system_user', {
  id: uuid('id').notNull(),
  org_id: orgId(),
  name: text('name').notNull(),
  username: text('username').notNull(),
  type: text('type').notNull(),
  protocol: text('protocol').notNull(),
  login_mode: text('login_mode').notNull(),
  priority: integer('priority').notNull(),
  sudo: text('sudo').notNull(),
  shell: text('shell').notNull(),
  sftp_root: text('sftp_root').notNull(),
  ad_domain: text('ad_domain').notNull(),
  username_same_with_user: boolean('username_same_with_user').notNull(),
  auto_push: boolean('auto_push').notNull(),
  su_enabled: boolean('su_enabled').notNull(),
  su_from: uuid('su_from'),
  comment: text('comment').notNull(),
  created_by: createdBy(),
  date_created: dateCreated(),
  /** Ids of the command filters that name it. */
  cmd_filters: uuid('cmd_filters').array().notNull(),
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

/** Who logs in to which asset as whom: accounts with what they inherit from their system user. */
export const assetsAccountLogin = pgView('assets_account_login', {
  id: uuid('id').notNull(),
  org_id: orgId(),
  asset: uuid('asset').notNull(),
  username: text('username').notNull(),
  /** Whoever connects logs in by their own user name. */
  username_same_with_user: boolean('username_same_with_user').notNull(),
  /** Empty for accounts of no system user. */
  systemuser_name: text('systemuser_name').notNull(),
  /** Type and body of its SSH key. */
  public_key: text('public_key'),
}).existing()
