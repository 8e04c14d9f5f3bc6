import { eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Call } from '../../kernel/access/call.ts'
import { displayName } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { invalid, notFound } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { settingsOf } from '../settings/index.ts'
import { type Addresses, channelNames, isReachable, readChannels } from './channels.ts'
import { type Channel, SYSTEM_CATEGORIES, SYSTEM_KINDS, type SystemKind } from './kinds.ts'
import { listChange } from './list-change.ts'
import {
  notificationsSystemSubscription,
  notificationsSystemSubscriptionGroup,
  notificationsSystemSubscriptionUser,
} from './tables.ts'

const PATH = '/api/v1/notifications/system-msg-subscription/'
const MAX_PEOPLE = 10_000
const kinds = Object.keys(SYSTEM_KINDS) as SystemKind[]

const SUBSCRIPTION = {
  fields: plainFields({
    ...{ message_type: 'string', message_type_label: 'string', users: 'strings', groups: 'strings' },
    ...{ receive_backends: 'strings', receivers: 'list' },
  }),
}
const CATEGORIES = { fields: plainFields({ category: 'string', category_label: 'string', children: 'list' }) }

interface Subscription {
  users: string[]
  groups: string[]
  receive_backends: Channel[]
}

/**
 * The stored subscription, else the default: alarms of servers and recordings go to all system
 * administrators, those of commands to the people whose address is in
 * SECURITY_INSECURE_COMMAND_EMAIL_RECEIVER, and failed tasks to nobody.
 */
async function subscriptionTo(kernel: Pick<Kernel, 'db'>, kind: SystemKind, receivers: string): Promise<Subscription> {
  const { rows } = await kernel.db.execute<{ receive_backends: Channel[]; users: string[]; groups: string[] }>(sql`
    SELECT s.receive_backends,
      ARRAY(SELECT user_id FROM notifications_system_subscription_user u WHERE u.message_type = s.message_type ORDER BY user_id) AS users,
      ARRAY(SELECT group_id FROM notifications_system_subscription_group g WHERE g.message_type = s.message_type ORDER BY group_id) AS groups
    FROM notifications_system_subscription s WHERE s.message_type = ${kind}`)
  if (rows[0]) return rows[0]
  const addresses = receivers
    .split(/[,;\s]+/)
    .filter(Boolean)
    .map((address) => address.toLowerCase())
  // Tasks fail daily where machines come and go: interested people subscribe.
  if (kind === 'TaskFailureMessage') return { users: [], groups: [], receive_backends: ['email'] }
  const who =
    kind === 'CommandAlertMessage' || kind === 'CommandExecutionAlert'
      ? sql`lower(email) = ANY(${sql.param(addresses)}::text[])`
      : sql`role = 'Admin'`
  const people = await kernel.db.execute<{ id: string }>(sql`SELECT id FROM users_person WHERE ${who} ORDER BY name`)
  return { users: people.rows.map(({ id }) => id), groups: [], receive_backends: ['email'] }
}

/**
 * Everybody who gets this kind of message, members of groups included, and its channels besides the
 * inbox.
 */
export async function receiversOf(
  kernel: Kernel,
  kind: SystemKind,
): Promise<{ user_ids: string[]; receive_backends: Channel[] }> {
  const { users, groups, receive_backends } = await stored(kernel, kind)
  const { rows } = await kernel.db.execute<{ id: string }>(
    sql`SELECT DISTINCT user_id AS id FROM users_group_member WHERE group_id = ANY(${sql.param(groups)}::uuid[])`,
  )
  return { user_ids: [...new Set([...users, ...rows.map(({ id }) => id)])], receive_backends }
}

const stored = (kernel: Kernel, kind: SystemKind) =>
  subscriptionTo(kernel, kind, String(settingsOf(kernel).get('SECURITY_INSECURE_COMMAND_EMAIL_RECEIVER') ?? ''))

/** The recipients of system messages (docs/rules/notifications.md#system_msg_subscription). */
export function registerSystemSubscriptions(kernel: Kernel): void {
  const { app } = kernel
  const access = ['super_admin'] as const
  app.route({
    method: 'GET',
    url: PATH,
    config: { access, summary: 'Subscriptions to system messages, by category', rows: CATEGORIES, answers: 'rows' },
    handler: async ({ call }) => {
      const rows = await Promise.all(
        kinds.map(async (kind) => ({ kind, row: await present(kernel, call, kind, true) })),
      )
      return Object.entries(SYSTEM_CATEGORIES).map(([category, label]) => ({
        category,
        category_label: translate(call.language, label),
        children: rows.filter(({ kind }) => SYSTEM_KINDS[kind].category === category).map(({ row }) => row),
      }))
    },
  })
  app.route({
    method: 'OPTIONS',
    url: PATH,
    config: { access, summary: 'Subscriptions to system messages: metadata' },
    handler: async ({ call }) => ({ actions: { GET: groupMetadata(call) } }),
  })
  app.route({
    method: 'OPTIONS',
    url: `${PATH}:message_type/`,
    config: { access, summary: 'Subscription to a system message: metadata' },
    handler: async ({ call }) => ({
      actions: { GET: rowMetadata(call), PUT: rowMetadata(call), PATCH: rowMetadata(call) },
    }),
  })
  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: `${PATH}:message_type/`,
      config: { access, summary: 'Change who gets a system message, and how', answers: SUBSCRIPTION },
      handler: async ({ call, body, params }) => {
        const kind = kinds.find((name) => name === (params as { message_type: string }).message_type)
        if (!kind) throw notFound()
        await save(kernel, call, kind, readChange(method, call, body))
        return present(kernel, call, kind, false)
      },
    })
  }
}

const idList = z.array(z.guid()).max(MAX_PEOPLE)
const shape = z.object({ users: idList, groups: idList, receive_backends: z.unknown() })

function readChange(method: 'PUT' | 'PATCH', { language }: Call, body: unknown): Partial<Subscription> {
  const sent = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  if (method === 'PUT') {
    const missing = ['users', 'groups', 'receive_backends'].filter((name) => sent[name] === undefined)
    if (missing.length)
      throw invalid(Object.fromEntries(missing.map((name) => [name, translate(language, 'This field is required.')])))
  }
  const { users, groups } = shape.partial().parse(sent)
  return {
    ...(users ? { users: [...new Set(users)] } : {}),
    ...(groups ? { groups: [...new Set(groups)] } : {}),
    ...(sent.receive_backends === undefined ? {} : { receive_backends: readChannels(sent.receive_backends, language) }),
  }
}

async function save(kernel: Kernel, call: Call, kind: SystemKind, change: Partial<Subscription>): Promise<void> {
  const before = await stored(kernel, kind)
  const { users, groups, receive_backends } = { ...before, ...change }
  await kernel.db.transaction(async (inside) => {
    await refuseUnknown(inside, call, 'users', sql`SELECT id FROM users_person`, users)
    await refuseUnknown(inside, call, 'groups', sql`SELECT id FROM users_listed_group`, groups)
    await inside
      .insert(notificationsSystemSubscription)
      .values({ message_type: kind, receive_backends })
      .onConflictDoUpdate({ target: notificationsSystemSubscription.message_type, set: { receive_backends } })
    await inside
      .delete(notificationsSystemSubscriptionUser)
      .where(eq(notificationsSystemSubscriptionUser.message_type, kind))
    await inside
      .delete(notificationsSystemSubscriptionGroup)
      .where(eq(notificationsSystemSubscriptionGroup.message_type, kind))
    if (users.length)
      await inside
        .insert(notificationsSystemSubscriptionUser)
        .values(users.map((user_id) => ({ message_type: kind, user_id })))
    if (groups.length)
      await inside
        .insert(notificationsSystemSubscriptionGroup)
        .values(groups.map((group_id) => ({ message_type: kind, group_id })))
    await kernel.audit.record(inside, call, [
      {
        action: 'update',
        resourceType: 'System message subscription',
        resource: SYSTEM_KINDS[kind].label,
        orgId: call.org.id,
        changes: [
          ...listChange('users', 'Recipients', await namesOf(inside, before.users), await namesOf(inside, users)),
          ...listChange(
            'groups',
            'Groups of recipients',
            await groupNames(inside, before.groups),
            await groupNames(inside, groups),
          ),
          ...listChange('receive_backends', 'Message channels', before.receive_backends, receive_backends),
        ],
      },
    ])
  })
}

const namesOf = async (db: Database, ids: readonly string[]) =>
  (
    await db.execute<{ name: string; username: string }>(
      sql`SELECT name, username FROM users_person WHERE id = ANY(${sql.param([...ids])}::uuid[]) ORDER BY name, username`,
    )
  ).rows.map(displayName)

const groupNames = async (db: Database, ids: readonly string[]) =>
  (
    await db.execute<{ name: string }>(
      sql`SELECT name FROM users_listed_group WHERE id = ANY(${sql.param([...ids])}::uuid[]) ORDER BY name`,
    )
  ).rows.map(({ name }) => name)

async function refuseUnknown(
  db: Database,
  { language }: Call,
  field: 'users' | 'groups',
  known: ReturnType<typeof sql>,
  ids: readonly string[],
): Promise<void> {
  const { rows } = await db.execute<{ id: string }>(
    sql`SELECT wanted.id FROM unnest(${sql.param([...ids])}::uuid[]) AS wanted (id) WHERE wanted.id NOT IN (${known}) LIMIT 1`,
  )
  if (rows[0])
    throw invalid({ [field]: translate(language, 'Invalid pk "{{id}}" - object does not exist.', { id: rows[0].id }) })
}

interface Receiver extends Addresses, Record<string, unknown> {
  id: string
  name: string
  username: string
}

/**
 * A row on the wire; for each receiver, whether each channel reaches them. The list alone carries
 * the label.
 */
async function present(kernel: Kernel, { language }: Call, kind: SystemKind, listed: boolean) {
  const subscription = await stored(kernel, kind)
  const { user_ids } = await receiversOf(kernel, kind)
  const { rows } = await kernel.db.execute<Receiver>(
    sql`SELECT id, name, username, email, wecom_id, dingtalk_id, feishu_id FROM users_person
      WHERE id = ANY(${sql.param(user_ids)}::uuid[]) ORDER BY name, username`,
  )
  return {
    message_type: kind,
    message_type_label: listed ? translate(language, SYSTEM_KINDS[kind].label) : '',
    ...subscription,
    receivers: rows.map((person) => ({
      name: displayName(person),
      id: person.id,
      ...Object.fromEntries(subscription.receive_backends.map((channel) => [channel, isReachable(person, channel)])),
    })),
  }
}

const text = (label: string) => ({ type: 'string', required: false, read_only: true, label })

function groupMetadata({ language }: Call) {
  return {
    category: text(translate(language, 'Message category')),
    category_label: text(translate(language, 'Message category')),
    children: { type: 'list', required: false, read_only: true, label: translate(language, 'Message type') },
  }
}

function rowMetadata({ language }: Call) {
  const refs = (label: string, related: string) => ({
    type: 'field',
    related,
    many: true,
    required: true,
    read_only: false,
    label,
  })
  return {
    message_type: text(translate(language, 'Message type')),
    message_type_label: text(translate(language, 'Message type')),
    users: refs(translate(language, 'Subscribed users'), 'user'),
    groups: refs(translate(language, 'Subscribed groups'), 'user_group'),
    receive_backends: {
      type: 'list',
      required: true,
      read_only: false,
      label: translate(language, 'Message channels'),
      choices: channelNames.map((value) => ({ value, display_name: value })),
    },
    receivers: { type: 'list', required: false, read_only: true, label: translate(language, 'Recipients') },
  }
}
