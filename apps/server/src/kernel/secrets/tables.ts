import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { dateCreated, id, orgId } from '../database/columns.ts'

/** Secrets that left Sallyport in clear: who got which, when, how and why. Never the secret. */
export const kernelSecretLook = pgTable('kernel_secret_look', {
  id: id(),
  /** A `HandOut` of vault.ts. */
  how: text('how').notNull(),
  reason: text('reason').notNull(),
  owner_kind: text('owner_kind').notNull(),
  owner_id: uuid('owner_id').notNull(),
  owner: text('owner').notNull(),
  org_id: orgId(),
  user_id: uuid('user_id'),
  user: text('user').notNull(),
  remote_addr: text('remote_addr').notNull(),
  date_created: dateCreated(),
})
