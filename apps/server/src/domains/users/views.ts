import { boolean, pgView, text, uuid } from 'drizzle-orm/pg-core'

/** Everybody who can call the API, components included. */
export const usersAccount = pgView('users_account', {
  id: uuid('id').notNull(),
  name: text('name').notNull(),
  username: text('username').notNull(),
  role: text('role').notNull(),
  is_active: boolean('is_active').notNull(),
  /** Whether they may sign in now: active and not expired. */
  is_valid: boolean('is_valid').notNull(),
}).existing()

/** People alone, with their addresses. */
export const usersPerson = pgView('users_person', {
  id: uuid('id').notNull(),
  name: text('name').notNull(),
  username: text('username').notNull(),
  email: text('email').notNull(),
  role: text('role').notNull(),
  source: text('source').notNull(),
  language: text('language'),
  wecom_id: text('wecom_id'),
  dingtalk_id: text('dingtalk_id'),
  feishu_id: text('feishu_id'),
  is_active: boolean('is_active').notNull(),
  /** Whether they may sign in now: active and not expired. */
  is_valid: boolean('is_valid').notNull(),
}).existing()

export const usersListedGroup = pgView('users_listed_group', {
  id: uuid('id').notNull(),
  org_id: uuid('org_id').notNull(),
  name: text('name').notNull(),
}).existing()

export const usersGroupMember = pgView('users_group_member', {
  user_id: uuid('user_id').notNull(),
  group_id: uuid('group_id').notNull(),
}).existing()
