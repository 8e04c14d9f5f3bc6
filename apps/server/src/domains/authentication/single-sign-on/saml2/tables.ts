import type { Settings } from '@sallyport/contract/settings/index.ts'
import { boolean, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { sealed } from '../../../../kernel/database/columns.ts'
import { furtherColumns } from '../../people-sources/columns.ts'

/** SAML2 providers besides that of the settings. */
export const authenticationSaml2Provider = pgTable('authentication_saml2_provider', {
  ...furtherColumns(),
  metadata_url: text('metadata_url').notNull().default(''),
  metadata_xml: text('metadata_xml').notNull().default(''),
  sp_key_sealed: sealed('sp_key_sealed'),
  sp_certificate: text('sp_certificate').notNull().default(''),
  advanced_settings: jsonb('advanced_settings').$type<Settings['SAML2_SP_ADVANCED_SETTINGS']>().notNull(),
  rename_attributes: jsonb('rename_attributes').$type<Settings['SAML2_RENAME_ATTRIBUTES']>().notNull(),
  groups_attribute: text('groups_attribute').notNull().default(''),
  logout_completely: boolean('logout_completely').notNull().default(true),
  always_update_user: boolean('always_update_user').notNull().default(true),
})
