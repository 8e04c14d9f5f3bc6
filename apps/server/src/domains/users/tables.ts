import { bigint, boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, dateTime, id, orgId, sealed } from '../../kernel/database/columns.ts'

export const usersUser = pgTable('users_user', {
  id: id(),
  name: text('name').notNull(),
  username: text('username').notNull(),
  email: text('email').notNull(),
  password_hash: text('password_hash'),
  public_key_sealed: sealed('public_key_sealed'),
  public_key_comment: text('public_key_comment').notNull().default(''),
  public_key_hash_md5: text('public_key_hash_md5').notNull().default(''),
  secret_key_sealed: sealed('secret_key_sealed'),
  wechat: text('wechat').notNull().default(''),
  phone: text('phone'),
  mfa_level: integer('mfa_level').notNull().default(0),
  otp_secret_sealed: sealed('otp_secret_sealed'),
  otp_last_step: bigint('otp_last_step', { mode: 'number' }),
  source: text('source').notNull().default('local'),
  role: text('role').notNull().default('User'),
  need_update_password: boolean('need_update_password').notNull().default(false),
  is_active: boolean('is_active').notNull().default(true),
  is_first_login: boolean('is_first_login').notNull().default(true),
  date_expired: dateTime('date_expired'),
  date_joined: dateTime('date_joined').notNull().defaultNow(),
  last_login: dateTime('last_login'),
  date_password_last_updated: dateTime('date_password_last_updated'),
  created_by: text('created_by').notNull().default(''),
  comment: text('comment'),
  wecom_id: text('wecom_id'),
  dingtalk_id: text('dingtalk_id'),
  feishu_id: text('feishu_id'),
  language: text('language'),
  /** The looks of the user name at a glance (look-alike/). */
  looks: text('looks').array().notNull().default([]),
  /** Organizations in which the guide to the first session was sent away. */
  guide_dismissed_in: uuid('guide_dismissed_in').array().notNull().default([]),
  /** Name of the provider that keeps the person (managed.ts). */
  managed_by: text('managed_by').notNull().default(''),
  /** The source that gave the role from outside (given.ts). */
  role_given_by: text('role_given_by').notNull().default(''),
  /** The person who answers for a service identity (service-person.ts). */
  owner_id: uuid('owner_id'),
  /** The directory or provider that made the person, where it is not that of the settings (directories.ts). */
  directory_id: uuid('directory_id'),
})

/** Directories and providers besides those of the settings, deleted ones too as long as they have people. */
export const usersDirectory = pgTable('users_directory', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  is_open: boolean('is_open').notNull().default(true),
  source: text('source').$type<'ldap' | 'openid' | 'saml2' | 'cas' | 'radius'>().notNull(),
})

export const usersPasswordHistory = pgTable('users_password_history', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  user_id: uuid('user_id').notNull(),
  password_hash: text('password_hash').notNull(),
  date_created: dateCreated(),
})

export const usersUserGroup = pgTable('users_user_group', {
  id: id(),
  name: text('name').notNull(),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
  org_id: orgId(),
  managed_by: text('managed_by').notNull().default(''),
})

export const usersUserGroupUser = pgTable('users_user_group_user', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  user: uuid('user').notNull(),
  usergroup: uuid('usergroup').notNull(),
  /** The source that gave it from outside (given.ts). */
  given_by: text('given_by').notNull().default(''),
})
