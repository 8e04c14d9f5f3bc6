import { bigint, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { dateCreated, dateTime } from '../database/columns.ts'

/** Columns of a stored row as JSON; sealed values in the form of `SealedInJson`. */
export type RowImage = Readonly<Record<string, unknown>>

/** Rows that a change wrote, by triggers of the migration `kernel_undo`. */
export const kernelUndoRow = pgTable('kernel_undo_row', {
  id: bigint('id', { mode: 'number' }).generatedAlwaysAsIdentity().primaryKey(),
  change: uuid('change').notNull(),
  table_name: text('table_name').notNull(),
  key: jsonb('key').$type<RowImage>().notNull(),
  before: jsonb('before').$type<RowImage>(),
  after: jsonb('after').$type<RowImage>(),
  date_created: dateCreated(),
})

/** The change that each row of the operate log tells of. */
export const kernelUndoLog = pgTable('kernel_undo_log', {
  log: uuid('log').primaryKey(),
  change: uuid('change').notNull(),
  /** The import that it is part of. */
  batch: uuid('batch'),
  /** What it took back: a row of the log, a change or an import. */
  undoes: uuid('undoes'),
  date_undone: dateTime('date_undone'),
  date_created: dateCreated(),
})
