import type { Forwarding } from '@sallyport/contract/forwarding.ts'
import type { TargetFamily } from '@sallyport/contract/target.ts'
import { bigint, boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, dateTime, id, orgId } from '../../kernel/database/columns.ts'

const family = () => text('family').$type<TargetFamily>().notNull()

export const permsPermission = pgTable('perms_permission', {
  id: id(),
  org_id: orgId(),
  family: family(),
  name: text('name').notNull(),
  /** Category of applications; other permissions have none. */
  category: text('category'),
  type: text('type'),
  is_active: boolean('is_active').notNull().default(true),
  actions: integer('actions').notNull().default(255),
  /** For applications: the databases of the server that it leads to; none: all. */
  databases: text('databases').array().notNull().default([]),
  /** For assets: where connections may be forwarded to from them, and the list of `listed`. */
  forwarding: text('forwarding').$type<Forwarding>().notNull().default('none'),
  forwarding_destinations: text('forwarding_destinations').array().notNull().default([]),
  date_start: dateTime('date_start').notNull().defaultNow(),
  date_expired: dateTime('date_expired').notNull(),
  comment: text('comment').notNull().default(''),
  from_ticket: boolean('from_ticket').notNull().default(false),
  created_by: createdBy(),
  date_created: dateCreated(),
})

/** Triggers keep `org_id` and `family` equal to the permission's; they are never written here. */
export const pairColumns = () => ({
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  org_id: orgId().default('00000000-0000-0000-0000-000000000000'),
  family: family().default('asset'),
})

const permission = () => uuid('permission').notNull()

export const permsPermissionUser = pgTable('perms_permission_user', {
  ...pairColumns(),
  permission: permission(),
  user: uuid('user').notNull(),
})
export const permsPermissionUserGroup = pgTable('perms_permission_user_group', {
  ...pairColumns(),
  permission: permission(),
  usergroup: uuid('usergroup').notNull(),
})
export const permsPermissionSystemUser = pgTable('perms_permission_system_user', {
  ...pairColumns(),
  permission: permission(),
  systemuser: uuid('systemuser').notNull(),
})
export const permsPermissionNode = pgTable('perms_permission_node', {
  ...pairColumns(),
  permission: permission(),
  node: uuid('node').notNull(),
})
/**
 * Targets that are granted by name: one column for each family, named after it
 * (`perms_add_target_family` in the migrations).
 */
export const permsPermissionTarget = pgTable('perms_permission_target', {
  ...pairColumns(),
  permission: permission(),
  asset: uuid('asset'),
  application: uuid('application'),
})
