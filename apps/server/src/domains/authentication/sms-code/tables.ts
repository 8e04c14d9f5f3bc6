import { customType, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { dateTime } from '../../../kernel/database/columns.ts'

const hash = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' })

/** The last code that was sent to a phone. */
export const authenticationSmsCode = pgTable('authentication_sms_code', {
  phone: text('phone').primaryKey(),
  user_id: uuid('user_id').notNull(),
  purpose: text('purpose').$type<'mfa' | 'reset'>().notNull(),
  holder: text('holder').notNull(),
  code_hash: hash('code_hash'),
  date_sent: dateTime('date_sent').notNull().defaultNow(),
  date_expired: dateTime('date_expired').notNull(),
})
