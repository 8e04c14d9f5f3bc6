import { bigint, boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, dateTime, id, orgId } from '../../kernel/database/columns.ts'

export const permsAssetPermission = pgTable('perms_asset_permission', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  is_active: boolean('is_active').notNull().default(true),
  actions: integer('actions').notNull().default(255),
  date_start: dateTime('date_start').notNull().defaultNow(),
  date_expired: dateTime('date_expired').notNull(),
  comment: text('comment').notNull().default(''),
  from_ticket: boolean('from_ticket').notNull().default(false),
  created_by: createdBy(),
  date_created: dateCreated(),
})

/** `org_id` follows the permission by trigger; it is never written here. */
const pairColumns = () => ({
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  org_id: orgId().default('00000000-0000-0000-0000-000000000000'),
  assetpermission: uuid('assetpermission').notNull(),
})
export const permsAssetPermissionUser = pgTable('perms_asset_permission_user', { ...pairColumns(), user: uuid('user').notNull() })
export const permsAssetPermissionUserGroup = pgTable('perms_asset_permission_user_group', {
  ...pairColumns(),
  usergroup: uuid('usergroup').notNull(),
})
export const permsAssetPermissionAsset = pgTable('perms_asset_permission_asset', { ...pairColumns(), asset: uuid('asset').notNull() })
export const permsAssetPermissionNode = pgTable('perms_asset_permission_node', { ...pairColumns(), node: uuid('node').notNull() })
export const permsAssetPermissionSystemUser = pgTable('perms_asset_permission_system_user', {
  ...pairColumns(),
  systemuser: uuid('systemuser').notNull(),
})
