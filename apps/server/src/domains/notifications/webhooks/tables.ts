import type { WebhookKind } from '@sallyport/contract/resources/notifications/webhook.ts'
import { bigint, boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { bytes, createdBy, dateCreated, dateTime, id, orgId } from '../../../kernel/database/columns.ts'

export const notificationsWebhook = pgTable('notifications_webhook', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  url: text('url').notNull(),
  secret_sealed: bytes('secret_sealed'),
  kinds: text('kinds').array().$type<WebhookKind[]>().notNull(),
  all_orgs: boolean('all_orgs').notNull().default(false),
  is_active: boolean('is_active').notNull().default(true),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
})

export const notificationsWebhookFigures = pgTable('notifications_webhook_figures', {
  webhook_id: uuid('webhook_id').primaryKey(),
  /** Messages that there was no room for. */
  dropped: bigint('dropped', { mode: 'number' }).notNull().default(0),
  date_last_sent: dateTime('date_last_sent'),
})

export const notificationsWebhookDelivery = pgTable('notifications_webhook_delivery', {
  id: id(),
  org_id: orgId(),
  webhook: uuid('webhook').notNull(),
  kind: text('kind').$type<WebhookKind>().notNull(),
  /** What it is about: messages about the same go one after the other. */
  about: text('about').notNull(),
  body: text('body').notNull(),
  state: text('state').$type<'waiting' | 'sent' | 'failed'>().notNull().default('waiting'),
  tries: integer('tries').notNull().default(0),
  status: integer('status'),
  error: text('error').notNull().default(''),
  date_created: dateCreated(),
  date_tried: dateTime('date_tried'),
})
