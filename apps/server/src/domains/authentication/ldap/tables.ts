import type { Settings } from '@sallyport/contract/settings/index.ts'
import { boolean, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { dateTime, sealed } from '../../../kernel/database/columns.ts'
import { furtherColumns } from '../people-sources/columns.ts'
import type { LdapPerson } from './person.ts'

/** A directory's people as the import dialog lists them; one row at most for each. */
export const authenticationLdapList = pgTable('authentication_ldap_list', {
  /** The id of the directory; empty for that of the settings. */
  directory: text('directory').primaryKey().default(''),
  state: text('state').$type<'running' | 'done' | 'failed'>().notNull(),
  /**
   * Why the list could not be read: an English text, and the values of its placeholders as JSON.
   */
  error: text('error').notNull().default(''),
  people: jsonb('people').$type<LdapPerson[]>().notNull().default([]),
  date_started: dateTime('date_started').notNull().defaultNow(),
})

/** When the next periodic import of a directory is due. */
export const authenticationLdapPlan = pgTable('authentication_ldap_plan', {
  /** The id of the directory; empty for that of the settings. */
  directory: text('directory').primaryKey().default(''),
  plan: text('plan').notNull(),
  date_due: dateTime('date_due').notNull(),
})

/** Directories besides that of the settings. */
export const authenticationDirectory = pgTable('authentication_directory', {
  ...furtherColumns(),
  kind: text('kind').$type<'ldap'>().notNull().default('ldap'),
  server_uri: text('server_uri').notNull(),
  start_tls: boolean('start_tls').notNull().default(false),
  ca_certificates: text('ca_certificates').notNull().default(''),
  bind_dn: text('bind_dn').notNull().default(''),
  bind_password_sealed: sealed('bind_password_sealed'),
  search_ou: text('search_ou').notNull(),
  search_filter: text('search_filter').notNull(),
  user_attr_map: jsonb('user_attr_map').$type<Settings['AUTH_LDAP_USER_ATTR_MAP']>().notNull(),
  group_search_ou: text('group_search_ou').notNull().default(''),
  connect_timeout: integer('connect_timeout').notNull().default(10),
  search_paged_size: integer('search_paged_size').notNull().default(1000),
  sync_is_periodic: boolean('sync_is_periodic').notNull().default(false),
  sync_crontab: text('sync_crontab').notNull().default(''),
  sync_interval: integer('sync_interval'),
})
