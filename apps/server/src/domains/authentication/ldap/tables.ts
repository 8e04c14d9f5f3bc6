import { boolean, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { dateTime } from '../../../kernel/database/columns.ts'
import type { LdapPerson } from './person.ts'

/** The directory's people as the import dialog lists them; one row at most. */
export const authenticationLdapList = pgTable('authentication_ldap_list', {
  only: boolean('only').primaryKey().default(true),
  state: text('state').$type<'running' | 'done' | 'failed'>().notNull(),
  /**
   * Why the list could not be read: an English text, and the values of its placeholders as JSON.
   */
  error: text('error').notNull().default(''),
  people: jsonb('people').$type<LdapPerson[]>().notNull().default([]),
  date_started: dateTime('date_started').notNull().defaultNow(),
})

/** When the next periodic import is due; one row at most. */
export const authenticationLdapPlan = pgTable('authentication_ldap_plan', {
  only: boolean('only').primaryKey().default(true),
  plan: text('plan').notNull(),
  date_due: dateTime('date_due').notNull(),
})
