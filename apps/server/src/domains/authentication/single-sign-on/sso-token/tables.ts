import { boolean, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { bytes, dateCreated, dateUpdated } from '../../../../kernel/database/columns.ts'

/** Keys for one sign-in each (docs/rules/authentication.md#sso_token). */
export const authenticationSsoToken = pgTable('authentication_sso_token', {
  /** SHA-256 of the key, which only the link contains. */
  key_hash: bytes('key_hash').primaryKey(),
  user_id: uuid('user_id').notNull(),
  /** Used, or tried after its time. */
  expired: boolean('expired').notNull().default(false),
  created_by: text('created_by').notNull(),
  updated_by: text('updated_by').notNull(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})
