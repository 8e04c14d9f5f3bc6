import { boolean, pgView, text, uuid } from 'drizzle-orm/pg-core'
import { dateTime } from '../../kernel/database/columns.ts'

/** Everybody who can call the API, components included. */
export const usersAccount = pgView('users_account', {
  id: uuid('id').notNull(),
  name: text('name').notNull(),
  username: text('username').notNull(),
  role: text('role').notNull(),
  is_active: boolean('is_active').notNull(),
  /** Whether they may sign in now: active, not expired, and their directory is on. */
  is_valid: boolean('is_valid').notNull(),
  is_service: boolean('is_service').notNull(),
  /** The owner of a service identity, as `name(username)`; null for everybody else. */
  on_behalf_of: text('on_behalf_of'),
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
  /** Whether they may sign in now: active, not expired, and their directory is on. */
  is_valid: boolean('is_valid').notNull(),
  /** Name of the provider that keeps them; empty for people of here. */
  managed_by: text('managed_by').notNull(),
  /** The source that gave the system role from outside; empty where somebody here did. */
  role_given_by: text('role_given_by').notNull(),
  /** The directory that made them, where it is not that of the settings. */
  directory_id: uuid('directory_id'),
}).existing()

export const usersListedGroup = pgView('users_listed_group', {
  id: uuid('id').notNull(),
  org_id: uuid('org_id').notNull(),
  name: text('name').notNull(),
  managed_by: text('managed_by').notNull(),
}).existing()

export const usersGroupMember = pgView('users_group_member', {
  user_id: uuid('user_id').notNull(),
  group_id: uuid('group_id').notNull(),
  /** The source that gave it from outside; empty where somebody here did. */
  given_by: text('given_by').notNull(),
}).existing()

/** When people without a role in the installation came, and signed in last. */
export const usersActivity = pgView('users_activity', {
  id: uuid('id').notNull(),
  date_joined: dateTime('date_joined').notNull(),
  last_login: dateTime('last_login'),
}).existing()
