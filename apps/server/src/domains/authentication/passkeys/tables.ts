import { bigint, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { bytes, dateCreated, dateTime, id } from '../../../kernel/database/columns.ts'

export const authenticationPasskey = pgTable('authentication_passkey', {
  id: id(),
  user_id: uuid('user_id').notNull(),
  name: text('name').notNull(),
  credential_id: bytes('credential_id').notNull(),
  user_handle: bytes('user_handle').notNull(),
  rp_id: text('rp_id').notNull(),
  public_key: bytes('public_key').notNull(),
  counter: bigint('counter', { mode: 'number' }).notNull(),
  transports: text('transports').array().notNull().default([]),
  date_created: dateCreated(),
  date_last_used: dateTime('date_last_used'),
})

export type Passkey = typeof authenticationPasskey.$inferSelect
