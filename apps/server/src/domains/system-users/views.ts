import { boolean, integer, pgView, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, orgId } from '../../kernel/database/columns.ts'

/** What SQL of other domains may read of system users and accounts; neither view has secrets. */
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

/** The logins of accounts on assets, with the values that they inherit from their system user. */
export const assetsAccountLogin = pgView('assets_account_login', {
  id: uuid('id').notNull(),
  org_id: orgId(),
  asset: uuid('asset').notNull(),
  username: text('username').notNull(),
  /** Everybody who connects logs in by their own user name. */
  username_same_with_user: boolean('username_same_with_user').notNull(),
  /** Empty for accounts of no system user. */
  systemuser_name: text('systemuser_name').notNull(),
  /** Type and body of its SSH key. */
  public_key: text('public_key'),
}).existing()
