import { boolean, pgTable, text } from 'drizzle-orm/pg-core'
import { bytes, dateUpdated } from '../../kernel/database/columns.ts'

/** The license: one row at most, imported or the installation's own (community-license.ts). */
export const xpackLicense = pgTable('xpack_license', {
  id: boolean('id').primaryKey().default(true),
  document: text('document').notNull(),
})

/** The installation's own pictures, by the name of their field. */
export const xpackImage = pgTable('xpack_image', {
  name: text('name').primaryKey(),
  type: text('type').notNull(),
  content: bytes('content').notNull(),
  /** Part of the address, so that browsers may cache a picture for ever. */
  sha256: text('sha256').notNull(),
  date_updated: dateUpdated(),
})
