import { sql } from 'drizzle-orm'
import { integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, dateUpdated, id, orgId, sealed } from '../../kernel/database/columns.ts'
import type { Destination } from '../assets/index.ts'

export const applicationsApplication = pgTable('applications_application', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  category: text('category').notNull(),
  type: text('type').notNull(),
  /** By the shape of the type; passwords of remote apps are sealed inside it. */
  attrs: jsonb('attrs').$type<Record<string, unknown>>().notNull().default({}),
  domain: uuid('domain'),
  /** Where stored secrets may be sent; a trigger fills it for new rows (see destination.ts). */
  confirmed_destinations: jsonb('confirmed_destinations').$type<Destination[]>().notNull().default(sql`'[]'`),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

/**
 * An application and a system user of a permission for it; a trigger keeps `org_id` equal to the
 * application's.
 */
export const applicationsAccount = pgTable('applications_account', {
  id: id(),
  org_id: orgId().default(sql`NULL`),
  app: uuid('app').notNull(),
  systemuser: uuid('systemuser'),
  username: text('username').notNull().default(''),
  password_sealed: sealed('password_sealed'),
  private_key_sealed: sealed('private_key_sealed'),
  public_key: text('public_key').notNull().default(''),
  secret_source: uuid('secret_source'),
  secret_path: text('secret_path').notNull().default(''),
  secret_field: text('secret_field').notNull().default(''),
  version: integer('version').notNull().default(1),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})
