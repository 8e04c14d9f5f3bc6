import { bigint, boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { dateCreated, dateUpdated, id, orgId } from '../../kernel/database/columns.ts'

const pairId = () => bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity()

export const assetsCommandFilter = pgTable('assets_command_filter', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  is_active: boolean('is_active').notNull().default(true),
  comment: text('comment').notNull().default(''),
  created_by: text('created_by').notNull().default(''),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

export const assetsCommandFilterRule = pgTable('assets_command_filter_rule', {
  id: id(),
  org_id: orgId(),
  filter: uuid('filter').notNull(),
  type: text('type').notNull().default('command'),
  content: text('content').notNull(),
  ignore_case: boolean('ignore_case').notNull().default(true),
  priority: integer('priority').notNull().default(50),
  action: integer('action').notNull().default(0),
  comment: text('comment').notNull().default(''),
  created_by: text('created_by').notNull().default(''),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

export const assetsCommandFilterRuleReviewer = pgTable('assets_command_filter_rule_reviewer', {
  id: pairId(),
  rule_id: uuid('rule_id').notNull(),
  user_id: uuid('user_id').notNull(),
})

export const assetsCommandFilterUser = pgTable('assets_command_filter_user', {
  id: pairId(),
  filter_id: uuid('filter_id').notNull(),
  user_id: uuid('user_id').notNull(),
})

export const assetsCommandFilterUserGroup = pgTable('assets_command_filter_user_group', {
  id: pairId(),
  filter_id: uuid('filter_id').notNull(),
  group_id: uuid('group_id').notNull(),
})

export const assetsCommandFilterAsset = pgTable('assets_command_filter_asset', {
  id: pairId(),
  filter_id: uuid('filter_id').notNull(),
  asset_id: uuid('asset_id').notNull(),
})

export const assetsCommandFilterApplication = pgTable('assets_command_filter_application', {
  id: pairId(),
  filter_id: uuid('filter_id').notNull(),
  application_id: uuid('application_id').notNull(),
})

export const assetsCommandFilterSystemUser = pgTable('assets_command_filter_system_user', {
  id: pairId(),
  filter_id: uuid('filter_id').notNull(),
  system_user_id: uuid('system_user_id').notNull(),
})
