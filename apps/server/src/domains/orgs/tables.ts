import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, dateTime, id } from '../../kernel/database/columns.ts'

export const orgsOrganization = pgTable('orgs_organization', {
  id: id(),
  name: text('name').notNull(),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
})

export const orgsMember = pgTable('orgs_member', {
  id: id(),
  org: uuid('org').notNull(),
  user: uuid('user').notNull(),
  role: text('role').notNull().default('User'),
  /** Kept by a trigger: of the first role there. Null where it was before such dates were kept. */
  date_joined: dateTime('date_joined'),
})
