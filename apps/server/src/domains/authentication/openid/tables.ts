import { pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { dateCreated } from '../../../kernel/database/columns.ts'

/** Which person of a provider is which person here. */
export const authenticationOpenidAccount = pgTable(
  'authentication_openid_account',
  {
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    user_id: uuid('user_id').notNull(),
    date_created: dateCreated(),
  },
  (table) => [primaryKey({ columns: [table.issuer, table.subject] })],
)
