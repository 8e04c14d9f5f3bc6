import { boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Role } from '../config.ts'
import { dateTime } from '../database/columns.ts'

/** Nodes of this installation, including those that have ended. */
export const kernelNode = pgTable('kernel_node', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  roles: text('roles').array().$type<Role[]>().notNull(),
  /** The component of the sessions that it carries. */
  terminal: uuid('terminal'),
  /** Where other nodes reach it; null, like `port` and `certificate`, until it listens. */
  address: text('address'),
  port: integer('port'),
  /** PEM. */
  certificate: text('certificate'),
  is_running: boolean('is_running').notNull().default(true),
  date_seen: dateTime('date_seen').notNull().defaultNow(),
})
