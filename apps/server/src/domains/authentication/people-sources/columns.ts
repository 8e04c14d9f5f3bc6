import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { boolean, integer, text } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, id } from '../../../kernel/database/columns.ts'

/** The columns of every further directory, provider and server: its name, its place in the order, its switch. */
export const furtherColumns = () => ({
  id: id(),
  name: text('name').notNull(),
  priority: integer('priority').notNull().default(50),
  is_active: boolean('is_active').notNull().default(true),
  existing_only: boolean('existing_only').notNull().default(false),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
})

/** A table with these columns, among others. */
export type FurtherTable = PgTable & Record<'id' | 'name' | 'priority' | 'is_active' | 'existing_only', AnyPgColumn>
