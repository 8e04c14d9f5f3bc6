import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { sealed } from '../../../kernel/database/columns.ts'
import { furtherColumns } from '../people-sources/columns.ts'

/** RADIUS servers besides that of the settings. */
export const authenticationRadiusServer = pgTable('authentication_radius_server', {
  ...furtherColumns(),
  host: text('host').notNull(),
  port: integer('port').notNull().default(1812),
  secret_sealed: sealed('secret_sealed'),
  /** How names of its people end; empty where they are any. */
  name_suffix: text('name_suffix').notNull().default(''),
})
