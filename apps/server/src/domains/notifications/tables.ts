import { boolean, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { dateCreated, dateTime, dateUpdated, id } from '../../kernel/database/columns.ts'
import type { Language } from '../../kernel/i18n/translate.ts'

export const notificationsSiteMessage = pgTable('notifications_site_message', {
  id: id(),
  subject: text('subject').notNull(),
  /** HTML. */
  message: text('message').notNull(),
  sender: text('sender').notNull().default(''),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

export const notificationsRecipient = pgTable(
  'notifications_recipient',
  {
    user_id: uuid('user_id').notNull(),
    message_id: uuid('message_id').notNull(),
    has_read: boolean('has_read').notNull().default(false),
    read_at: dateTime('read_at'),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.message_id] })],
)

export const notificationsUserSubscription = pgTable('notifications_user_subscription', {
  user_id: uuid('user_id').primaryKey(),
  receive_backends: text('receive_backends').array().notNull(),
})

export const notificationsSystemSubscription = pgTable('notifications_system_subscription', {
  message_type: text('message_type').primaryKey(),
  receive_backends: text('receive_backends').array().notNull(),
})

export const notificationsSystemSubscriptionUser = pgTable(
  'notifications_system_subscription_user',
  { message_type: text('message_type').notNull(), user_id: uuid('user_id').notNull() },
  (table) => [primaryKey({ columns: [table.message_type, table.user_id] })],
)

export const notificationsSystemSubscriptionGroup = pgTable(
  'notifications_system_subscription_group',
  { message_type: text('message_type').notNull(), group_id: uuid('group_id').notNull() },
  (table) => [primaryKey({ columns: [table.message_type, table.group_id] })],
)

/** Cards in messengers about what others may settle. */
export const notificationsSentCard = pgTable('notifications_sent_card', {
  id: id(),
  channel: text('channel').notNull(),
  topic: uuid('topic').notNull(),
  part: integer('part').notNull(),
  language: text('language').$type<Language>().notNull(),
  /** How the messenger names it. */
  place: text('place').notNull(),
  date_created: dateCreated(),
})

export const notificationsAlarm = pgTable('notifications_alarm', {
  name: text('name').primaryKey(),
  date_created: dateCreated(),
})
