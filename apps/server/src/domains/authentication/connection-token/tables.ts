import type { TargetFamily } from '@sallyport/contract/target.ts'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { bytes, dateCreated, dateTime, sealed } from '../../../kernel/database/columns.ts'

/** Tokens that client programs connect with (contract/authentication.yaml `connection_token`). */
export const authenticationConnectionToken = pgTable('authentication_connection_token', {
  /** SHA-256 of the token, which only its receiver holds. */
  token_hash: bytes('token_hash').primaryKey(),
  secret_sealed: sealed('secret_sealed').notNull(),
  type: text('type').$type<TargetFamily>().notNull(),
  target: uuid('target').notNull(),
  /** Who connects with it. */
  user_id: uuid('user_id').notNull(),
  system_user_id: uuid('system_user_id').notNull(),
  /** Who made it; the same person, or a system administrator. */
  creator_id: uuid('creator_id').notNull(),
  date_created: dateCreated(),
  date_expired: dateTime('date_expired').notNull(),
})
