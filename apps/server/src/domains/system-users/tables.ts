import { sql } from 'drizzle-orm'
import { bigint, boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, dateTime, dateUpdated, id, orgId, sealed } from '../../kernel/database/columns.ts'

const pairId = () => bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity()

export const assetsSystemUser = pgTable('assets_system_user', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  username: text('username').notNull().default(''),
  password_sealed: sealed('password_sealed'),
  private_key_sealed: sealed('private_key_sealed'),
  token_sealed: sealed('token_sealed'),
  public_key: text('public_key').notNull().default(''),
  secret_source: uuid('secret_source'),
  secret_path: text('secret_path').notNull().default(''),
  secret_field: text('secret_field').notNull().default(''),
  ssh_key_fingerprint: text('ssh_key_fingerprint').notNull().default(''),
  type: text('type').notNull().default('common'),
  protocol: text('protocol').notNull().default('ssh'),
  login_mode: text('login_mode').$type<'auto' | 'manual'>().notNull().default('auto'),
  by_certificate: boolean('by_certificate').notNull().default(false),
  priority: integer('priority').notNull().default(81),
  sudo: text('sudo').notNull().default('/bin/whoami'),
  shell: text('shell').notNull().default('/bin/bash'),
  sftp_root: text('sftp_root').notNull().default('tmp'),
  home: text('home').notNull().default(''),
  system_groups: text('system_groups').notNull().default(''),
  ad_domain: text('ad_domain').notNull().default(''),
  username_same_with_user: boolean('username_same_with_user').notNull().default(false),
  auto_push: boolean('auto_push').notNull().default(true),
  su_enabled: boolean('su_enabled').notNull().default(false),
  su_from: uuid('su_from'),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

/**
 * With a system user, the link between it and the asset; without, an account with a user name of
 * its own. A trigger keeps `org_id` equal to the asset's.
 */
export const assetsAccount = pgTable('assets_account', {
  id: id(),
  org_id: orgId().default(sql`NULL`),
  asset: uuid('asset').notNull(),
  systemuser: uuid('systemuser'),
  username: text('username').notNull().default(''),
  password_sealed: sealed('password_sealed'),
  private_key_sealed: sealed('private_key_sealed'),
  public_key: text('public_key').notNull().default(''),
  secret_source: uuid('secret_source'),
  secret_path: text('secret_path').notNull().default(''),
  secret_field: text('secret_field').notNull().default(''),
  version: integer('version').notNull().default(1),
  connectivity: text('connectivity').notNull().default('unknown'),
  date_verified: dateTime('date_verified'),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
  /** Its system user is to be pushed; triggers set it where a link comes. */
  push_due: boolean('push_due').notNull().default(false),
})

/** Bindings of system users; a trigger keeps `org_id` equal to the system user's. */
export const assetsSystemUserNode = pgTable('assets_system_user_node', {
  id: pairId(),
  org_id: orgId().default(sql`NULL`),
  systemuser: uuid('systemuser').notNull(),
  node: uuid('node').notNull(),
})

export const assetsSystemUserUser = pgTable('assets_system_user_user', {
  id: pairId(),
  org_id: orgId().default(sql`NULL`),
  systemuser: uuid('systemuser').notNull(),
  user: uuid('user').notNull(),
})

export const assetsSystemUserGroup = pgTable('assets_system_user_group', {
  id: pairId(),
  org_id: orgId().default(sql`NULL`),
  systemuser: uuid('systemuser').notNull(),
  group: uuid('group').notNull(),
})

export const assetsTemporaryAuth = pgTable('assets_temporary_auth', {
  id: id(),
  user_id: uuid('user_id').notNull(),
  systemuser: uuid('systemuser').notNull(),
  /** Id of an asset or application. */
  target: uuid('target').notNull(),
  username: text('username').notNull().default(''),
  password_sealed: sealed('password_sealed'),
  date_expired: dateTime('date_expired').notNull(),
})
