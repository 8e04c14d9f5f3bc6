import { integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Call } from '../../access/call.ts'
import { dateCreated, dateTime, id, orgId, sealed } from '../../database/columns.ts'

export type ImportMode = 'create' | 'update'
/** `interrupted`: its worker is gone, or none started it in time. */
export type ImportStatus = 'waiting' | 'running' | 'done' | 'stopped' | 'interrupted'

export const kernelImportJob = pgTable('kernel_import_job', {
  id: id(),
  user_id: uuid('user_id').notNull(),
  org_id: orgId(),
  resource: text('resource').notNull(),
  mode: text('mode').$type<ImportMode>().notNull(),
  call: jsonb('call').$type<Call>().notNull(),
  parameters: jsonb('parameters').$type<Record<string, string>>().notNull(),
  rows_sealed: sealed('rows_sealed'),
  status: text('status').$type<ImportStatus>().notNull().default('waiting'),
  total: integer('total').notNull(),
  /** The id by which undo takes the import back; null: that of the job. */
  batch: uuid('batch'),
  date_created: dateCreated(),
  date_updated: dateTime('date_updated').notNull().defaultNow(),
  date_finished: dateTime('date_finished'),
})

export const kernelImportResult = pgTable(
  'kernel_import_result',
  { job: uuid('job').notNull(), index: integer('index').notNull(), errors: text('errors') },
  ({ job, index }) => [primaryKey({ columns: [job, index] })],
)
