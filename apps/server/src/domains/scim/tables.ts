import { boolean, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { bytes, createdBy, dateCreated, dateTime, id, orgId } from '../../kernel/database/columns.ts'
import type { Attributes } from './attributes.ts'

export const scimProvider = pgTable('scim_provider', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  source: text('source').notNull(),
  on_delete: text('on_delete').notNull().default('deactivate'),
  ip_group: text('ip_group').array().notNull().default(['*']),
  is_active: boolean('is_active').notNull().default(true),
  date_expired: dateTime('date_expired'),
  comment: text('comment').notNull().default(''),
  /** SHA-256 of the token. */
  token_hash: bytes('token_hash'),
  date_token: dateTime('date_token'),
  date_last_used: dateTime('date_last_used'),
  created_by: createdBy(),
  date_created: dateCreated(),
})
export type Provider = typeof scimProvider.$inferSelect

export const scimPerson = pgTable('scim_person', {
  user_id: uuid('user_id').primaryKey(),
  provider_id: uuid('provider_id').notNull(),
  /** As the provider has them. */
  attributes: jsonb('attributes').$type<Attributes>().notNull(),
  /** Counts changes, so that of two at once none is lost. */
  version: integer('version').notNull().default(1),
  date_created: dateCreated(),
  date_updated: dateTime('date_updated').notNull().defaultNow(),
  date_deleted: dateTime('date_deleted'),
})

export const scimGroup = pgTable('scim_group', {
  group_id: uuid('group_id').primaryKey(),
  provider_id: uuid('provider_id').notNull(),
  external_id: text('external_id'),
  version: integer('version').notNull().default(1),
  date_created: dateCreated(),
  date_updated: dateTime('date_updated').notNull().defaultNow(),
})
