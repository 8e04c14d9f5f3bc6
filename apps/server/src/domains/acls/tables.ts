import { bigint, boolean, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, dateUpdated, id, orgId } from '../../kernel/database/columns.ts'
import type { TimePeriod } from './time-period.ts'

export const aclsLoginAcl = pgTable('acls_login_acl', {
  id: id(),
  name: text('name').notNull(),
  priority: integer('priority').notNull().default(50),
  rules: jsonb('rules').$type<{ ip_group: string[]; time_period: TimePeriod[] }>().notNull(),
  action: text('action').$type<'reject' | 'allow' | 'confirm'>().notNull().default('reject'),
  is_active: boolean('is_active').notNull().default(true),
  user: uuid('user').notNull(),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

export const aclsLoginAclReviewer = pgTable('acls_login_acl_reviewer', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  acl_id: uuid('acl_id').notNull(),
  user_id: uuid('user_id').notNull(),
})

export const aclsLoginAssetAcl = pgTable('acls_login_asset_acl', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  users: jsonb('users').$type<{ username_group: string[] }>().notNull(),
  system_users: jsonb('system_users')
    .$type<{ name_group: string[]; username_group: string[]; protocol_group: string[] }>()
    .notNull(),
  assets: jsonb('assets').$type<{ ip_group: string[]; hostname_group: string[] }>().notNull(),
  is_active: boolean('is_active').notNull().default(true),
  priority: integer('priority').notNull().default(50),
  action: text('action').notNull().default('login_confirm'),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

export const aclsLoginAssetAclReviewer = pgTable('acls_login_asset_acl_reviewer', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  acl_id: uuid('acl_id').notNull(),
  user_id: uuid('user_id').notNull(),
})
