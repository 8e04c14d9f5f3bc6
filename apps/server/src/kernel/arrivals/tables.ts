import { boolean, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { bytes, dateTime } from '../database/columns.ts'

/** Rows that an import from another product brought. */
export const kernelArrival = pgTable(
  'kernel_arrival',
  {
    /** The product, such as `jumpserver`. */
    source: text('source').notNull(),
    kind: text('kind').notNull(),
    /** The row's id there; both ids of a pair, with a colon between them. */
    key: text('key').notNull(),
    /** The row's id here. */
    id: text('id').notNull(),
    /** Keyed hash of the values as they came, secrets included. */
    digest: bytes('digest').notNull(),
    /** Hash of the row's columns as they were stored; null where the row was here before. */
    stored: text('stored'),
    /** The run that saw the row there last. */
    run: uuid('run').notNull(),
    date_arrived: dateTime('date_arrived').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.source, table.kind, table.key] })],
)

/** Kinds of these rows, and where they are. */
export const kernelArrivalKind = pgTable(
  'kernel_arrival_kind',
  {
    source: text('source').notNull(),
    kind: text('kind').notNull(),
    table_name: text('table_name').notNull(),
    form: text('form').$type<'row' | 'part' | 'pair'>().notNull(),
    /** The column of the id; pairs have none. */
    id_column: text('id_column'),
    /** Those that are hashed, in that order; of a pair those that make it. */
    columns: text('columns').array().notNull(),
    changes_by_itself: boolean('changes_by_itself').notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.source, table.kind] })],
)
