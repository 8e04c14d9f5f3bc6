import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { siteMessage } from '@sallyport/contract/resources/notifications/site-message.ts'
import { and, count, eq, inArray, sql } from 'drizzle-orm'
import { boolean, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { z } from 'zod'
import { callerOf, displayName } from '../../kernel/access/call.ts'
import { dateTime } from '../../kernel/database/columns.ts'
import type { Database } from '../../kernel/database/database.ts'
import { AppError, invalid } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { notificationsRecipient, notificationsSiteMessage } from './tables.ts'

/** The view of messages as each reader sees them. */
const inbox = pgTable('notifications_inbox', {
  id: uuid('id').primaryKey(),
  user_id: uuid('user_id').notNull(),
  subject: text('subject').notNull(),
  message: text('message').notNull(),
  has_read: boolean('has_read').notNull(),
  read_at: dateTime('read_at'),
  date_created: dateTime('date_created').notNull(),
  date_updated: dateTime('date_updated').notNull(),
  sender: text('sender').notNull(),
})

/**
 * Announced when what somebody has not read changed: `{ users: [id, …] }`, or `{}` for everybody.
 */
export const UNREAD_CHANGED = 'notifications.unread'
/** PostgreSQL takes 8000 bytes of a notification at a time. */
const USERS_A_NOTE = 150
/** How many messages one call marks as read. */
const MAX_MARKED = 10_000
const MAX_MESSAGE_CHARACTERS = 100_000
const TRUE_WORDS = ['true', '1', 'yes', 'on', 'y', 't']

/** The inbox of the caller (docs/rules/notifications.md#site_message). */
export default function mountSiteMessages(kernel: Kernel): void {
  const { app, db } = kernel
  const { path } = siteMessage
  app.route({
    method: 'GET',
    url: `${path}unread-total/`,
    config: {
      access: ['authenticated'],
      summary: 'Site message: how many I have not read',
      answers: { fields: plainFields({ total: 'integer' }) },
    },
    handler: async ({ call }) => {
      const { id } = callerOf(call)
      return { total: (await unreadOf(kernel, [id])).get(id) ?? 0 }
    },
  })
  app.route({
    method: 'PATCH',
    url: `${path}mark-as-read/`,
    config: {
      access: ['authenticated'],
      summary: 'Site message: mark mine as read',
      answers: { fields: plainFields({ detail: 'string' }) },
      takes: readBody,
    },
    handler: async ({ call, body }) => {
      const { ids } = readBody.parse(body ?? {})
      const { id } = callerOf(call)
      const marked = ids.length
        ? await db
            .update(notificationsRecipient)
            .set({ has_read: true, read_at: sql`now()` })
            .where(
              and(
                eq(notificationsRecipient.user_id, id),
                inArray(notificationsRecipient.message_id, ids),
                eq(notificationsRecipient.has_read, false),
              ),
            )
            .returning({ id: notificationsRecipient.message_id })
        : []
      if (marked.length) await announce(kernel, [id])
      return { detail: 'ok' }
    },
  })
  app.route({
    method: 'POST',
    url: `${path}send/`,
    config: {
      access: ['super_admin'],
      summary: 'Site message: send one to people, groups or everybody',
      answers: { fields: plainFields({ detail: 'string' }) },
      takes: sendBody,
    },
    handler: async ({ call, body }) => {
      const { subject, message, user_ids, group_ids, is_broadcast } = sendBody.parse(body ?? {})
      const sender = displayName(callerOf(call))
      if (!is_broadcast && !user_ids.length && !group_ids.length)
        throw invalid({ user_ids: 'Name people or groups, or send it to everybody.' })
      const to = is_broadcast ? 'everybody' : { ids: user_ids, groups: group_ids }
      await storeSiteMessage(kernel, { subject, message, sender }, to, (db) =>
        kernel.audit.record(db, call, [
          { action: 'create', resourceType: siteMessage.label, resource: subject, orgId: ROOT_ORG_ID },
        ]),
      )
      return { detail: 'ok' }
    },
  })
  mountResource(kernel, siteMessage, {
    table: inbox,
    owner: inbox.user_id,
    unaudited: true,
    filters: { has_read: (value) => eq(inbox.has_read, TRUE_WORDS.includes(value.trim().toLowerCase())) },
  })
}

const ids = z.array(z.guid()).max(MAX_MARKED).default([])
const readBody = z.object({ ids: z.array(z.guid()).max(MAX_MARKED) })
const sendBody = z.object({
  subject: z.string().trim().min(1).max(1024),
  message: z.string().min(1).max(MAX_MESSAGE_CHARACTERS),
  user_ids: ids,
  group_ids: ids,
  is_broadcast: z.boolean().default(false),
})

type Recipients = 'everybody' | { ids: readonly string[]; groups?: readonly string[] }

/**
 * Puts a message of HTML into people's inboxes and tells their open pages. People who are gone or
 * disabled, and components, are left out. Throws 400 when nobody is left.
 */
export async function storeSiteMessage(
  kernel: Kernel,
  { subject, message, sender = '' }: { subject: string; message: string; sender?: string },
  to: Recipients,
  /** Further rows that are written together with the message. */
  besides?: (db: Database) => Promise<void>,
): Promise<void> {
  const among =
    to === 'everybody'
      ? sql`true`
      : sql`(u.id = ANY(${sql.param([...to.ids])}::uuid[])
          OR u.id IN (SELECT g.user_id FROM users_group_member g WHERE g.group_id = ANY(${sql.param([...(to.groups ?? [])])}::uuid[])))`
  const users = await kernel.db.transaction(async (inside) => {
    const [row] = await inside
      .insert(notificationsSiteMessage)
      .values({ subject: subject.slice(0, 1024), message, sender })
      .returning({ id: notificationsSiteMessage.id })
    const { rows } = await inside.execute<{ user_id: string }>(sql`
      INSERT INTO notifications_recipient (user_id, message_id)
      SELECT u.id, ${row?.id}::uuid FROM users_person u WHERE u.is_active AND ${among}
      RETURNING user_id`)
    if (!rows.length) throw new AppError(400, 'bad_request', 'None of these people can get messages.')
    await besides?.(inside)
    return rows.map(({ user_id }) => user_id)
  })
  await announce(kernel, to === 'everybody' ? undefined : users)
}

/** Tells all nodes whose count of unread messages changed; undefined means everybody's. */
async function announce({ events }: Kernel, users: readonly string[] | undefined): Promise<void> {
  if (!users) return events.publish(UNREAD_CHANGED, {})
  for (let from = 0; from < users.length; from += USERS_A_NOTE)
    await events.publish(UNREAD_CHANGED, { users: users.slice(from, from + USERS_A_NOTE) })
}

/**
 * Unread messages of each of these people; those without any are missing from the map. One query
 * for any number of people.
 */
export async function unreadOf({ db }: Pick<Kernel, 'db'>, users: readonly string[]): Promise<Map<string, number>> {
  if (!users.length) return new Map()
  const rows = await db
    .select({ user_id: notificationsRecipient.user_id, total: count() })
    .from(notificationsRecipient)
    .where(and(inArray(notificationsRecipient.user_id, [...users]), eq(notificationsRecipient.has_read, false)))
    .groupBy(notificationsRecipient.user_id)
  return new Map(rows.map(({ user_id, total }) => [user_id, total]))
}
