import { getTableName, sql } from 'drizzle-orm'
import { type Call, callerOf, displayName, isSuperAdmin } from '../../kernel/access/call.ts'
import { keepingChange } from '../../kernel/audit/named-change.ts'
import { notFound } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { sendRows } from '../../kernel/resource/lists/rows.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { type Addresses, channelNames, defaultChannels, readChannels } from './channels.ts'
import type { Channel } from './kinds.ts'
import { listChange } from './list-change.ts'
import { notificationsUserSubscription } from './tables.ts'

const PATH = '/api/v1/notifications/user-msg-subscription/'
/** The table of the channels that people choose for themselves. */
export const CHANNELS_TABLE = getTableName(notificationsUserSubscription)

const SUBSCRIPTIONS = { fields: plainFields({ user_id: 'uuid', receive_backends: 'strings' }) }

interface Person extends Addresses, Record<string, unknown> {
  user_id: string
  name: string
  username: string
  receive_backends: Channel[] | null
}

const wireIn = (kernel: Kernel) => (person: Person) => ({
  user_id: person.user_id,
  receive_backends: person.receive_backends ?? defaultChannels(kernel, person),
})

const PERSON = sql`u.id AS user_id, u.name, u.username, u.email, u.wecom_id, u.dingtalk_id, u.feishu_id, s.receive_backends`
const PEOPLE = sql`users_person u LEFT JOIN notifications_user_subscription s ON s.user_id = u.id`

/** The channels that a person chose, whether or not they are enabled now. */
export async function channelsOf(kernel: Kernel, userId: string): Promise<Channel[]> {
  const { rows } = await kernel.db.execute<Person>(sql`SELECT ${PERSON} FROM ${PEOPLE} WHERE u.id = ${userId}`)
  return rows[0] ? wireIn(kernel)(rows[0]).receive_backends : []
}

/**
 * The channels of each person (docs/rules/notifications.md#user_msg_subscription): everybody sees
 * their own, system administrators all.
 */
export function registerUserSubscriptions(kernel: Kernel): void {
  const { app, db } = kernel
  const wire = wireIn(kernel)
  app.route({
    method: 'GET',
    url: PATH,
    config: {
      access: ['super_admin'],
      summary: 'How people want to hear',
      rows: SUBSCRIPTIONS,
      answers: 'rows or page',
    },
    handler: async (request, reply) =>
      sendRows<Person>(contextOf(kernel, request), request, reply, {
        columns: PERSON,
        from: PEOPLE,
        order: sql`u.name, u.id`,
        item: wire,
      }),
  })
  const one = async (call: Call, params: unknown) => {
    const { user_id } = params as { user_id: string }
    // Answered like an unknown id: whether somebody else exists is not told.
    const may = isUuid(user_id) && (user_id === callerOf(call).id || isSuperAdmin(call))
    const { rows } = may
      ? await db.execute<Person>(sql`SELECT ${PERSON} FROM ${PEOPLE} WHERE u.id = ${user_id}`)
      : { rows: [] }
    if (!rows[0]) throw notFound()
    return rows[0]
  }
  const access = ['authenticated'] as const
  app.route({
    method: 'GET',
    url: `${PATH}:user_id/`,
    config: { access, summary: 'How a person wants to hear', answers: SUBSCRIPTIONS },
    handler: async ({ call, params }) => wire(await one(call, params)),
  })
  for (const url of [PATH, `${PATH}:user_id/`]) {
    app.route({
      method: 'OPTIONS',
      url,
      config: { access, summary: 'How a person wants to hear: metadata' },
      handler: async ({ call }) => ({ actions: { GET: metadata(call), PUT: metadata(call), PATCH: metadata(call) } }),
    })
  }
  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: `${PATH}:user_id/`,
      config: { access, summary: 'Choose how a person hears', answers: SUBSCRIPTIONS },
      handler: async (request, reply) => {
        const { call, params, body } = request
        const person = await one(call, params)
        const { user_id } = person
        const sent = (typeof body === 'object' && body !== null ? body : {}) as { receive_backends?: unknown }
        const receive_backends = readChannels(sent.receive_backends, call.language)
        await keepingChange(db, request, reply, async (inside) => {
          await inside
            .insert(notificationsUserSubscription)
            .values({ user_id, receive_backends })
            .onConflictDoUpdate({ target: notificationsUserSubscription.user_id, set: { receive_backends } })
          await kernel.audit.record(inside, call, [
            {
              action: 'update',
              resourceType: 'User',
              resource: displayName(person),
              orgId: call.org.id,
              object: { type: 'user', id: user_id },
              changes: listChange(
                'receive_backends',
                'Message channels',
                wire(person).receive_backends,
                receive_backends,
              ),
            },
          ])
        })
        return { user_id, receive_backends }
      },
    })
  }
}

function metadata({ language }: Call) {
  return {
    user_id: { type: 'string', required: false, read_only: true, label: 'ID' },
    receive_backends: {
      type: 'list',
      required: true,
      read_only: false,
      label: translate(language, 'Message channels'),
      choices: channelNames.map((value) => ({ value, display_name: value })),
    },
  }
}
