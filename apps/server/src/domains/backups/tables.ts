import { bigint, boolean, pgTable, text } from 'drizzle-orm/pg-core'
import { dateTime, id } from '../../kernel/database/columns.ts'

/** Backups that were made or tried. */
export const backupsBackup = pgTable('backups_backup', {
  id: id(),
  /** Id of the backup in its place; empty until it is complete. */
  name: text('name').notNull().default(''),
  place: text('place').notNull(),
  made_by: text('made_by').$type<'schedule' | 'operator'>().notNull(),
  state: text('state').$type<'running' | 'done' | 'failed'>().notNull().default('running'),
  date_start: dateTime('date_start').notNull().defaultNow(),
  date_finished: dateTime('date_finished'),
  date_snapshot: dateTime('date_snapshot'),
  has_key: boolean('has_key').notNull().default(false),
  bytes: bigint('bytes', { mode: 'number' }),
  recordings: bigint('recordings', { mode: 'number' }),
  error: text('error').notNull().default(''),
})
