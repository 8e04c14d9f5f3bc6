import type { Settings } from '@sallyport/contract/settings/index.ts'
import { boolean, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { furtherColumns } from '../../people-sources/columns.ts'

/** CAS servers besides that of the settings. */
export const authenticationCasServer = pgTable('authentication_cas_server', {
  ...furtherColumns(),
  server_url: text('server_url').notNull(),
  version: integer('version').notNull().default(3),
  username_attribute: text('username_attribute').notNull().default('uid'),
  apply_attributes: boolean('apply_attributes').notNull().default(false),
  rename_attributes: jsonb('rename_attributes').$type<Settings['CAS_RENAME_ATTRIBUTES']>().notNull(),
  groups_attribute: text('groups_attribute').notNull().default(''),
  logout_completely: boolean('logout_completely').notNull().default(true),
})
