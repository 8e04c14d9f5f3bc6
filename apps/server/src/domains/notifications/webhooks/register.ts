import { randomUUID } from 'node:crypto'
import { webhook as webhookDefinition } from '@sallyport/contract/resources/notifications/webhook.ts'
import { webhookDelivery as deliveryDefinition } from '@sallyport/contract/resources/notifications/webhook-delivery.ts'
import { sql } from 'drizzle-orm'
import { AppError, refused } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { getStored, presentOne } from '../../../kernel/resource/read.ts'
import { mountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { post, queueDelivery, registerDeliveries } from './deliver.ts'
import { notificationsWebhook, notificationsWebhookDelivery } from './tables.ts'
import { whyNotTaken } from './why-not-taken.ts'

/** Webhooks: their messages are sent, tried and sent again (docs/operate-webhooks.md). */
export function registerWebhooks(kernel: Kernel): void {
  registerDeliveries(kernel)
  const webhooks = mountedResource(kernel, webhookDefinition, notificationsWebhook)
  const deliveries = mountedResource(kernel, deliveryDefinition, notificationsWebhookDelivery)
  kernel.app.route({
    method: 'POST',
    url: `${webhookDefinition.path}:id/testing/`,
    config: {
      access: ['super_admin'],
      summary: 'Send a test message to a webhook',
      answers: { fields: plainFields({ msg: 'string' }) },
    },
    handler: async (request) => {
      const context = contextOf(kernel, request)
      const { language } = request.call
      const stored = await getStored(webhooks, context.parameters.id ?? '', context)
      const { rows } = await kernel.db.execute<{ secret_sealed: Buffer | null }>(
        sql`SELECT secret_sealed FROM notifications_webhook WHERE id = ${stored.id}`,
      )
      const outcome = await post(kernel, {
        webhook: stored.id,
        url: stored.url,
        secret_sealed: rows[0]?.secret_sealed ?? null,
        body: await testBody(kernel, stored.org_id),
      })
      if (outcome.error) {
        const reason = whyNotTaken(language, outcome)
        const words = translate(language, 'The message was not taken: {{reason}}', { reason })
        throw new AppError(400, 'webhook_test_failed', words, { body: { error: words } })
      }
      return { msg: translate(language, 'The test succeeded') }
    },
  })
  kernel.app.route({
    method: 'POST',
    url: `${deliveryDefinition.path}:id/send-again/`,
    config: {
      access: ['super_admin'],
      summary: 'Send a message of a webhook again',
      answers: 'row',
      rows: deliveries.definition,
    },
    handler: async (request) => {
      const context = contextOf(kernel, request)
      const { id } = await getStored(deliveries, context.parameters.id ?? '', context)
      const stored = await kernel.db.transaction(async (db) => {
        const before = await getStored(deliveries, id, { ...context, db }, true)
        if (before.state === 'waiting') throw refused('webhook_waiting', 'This message is waiting to be sent already')
        await db.execute(sql`
          UPDATE notifications_webhook_delivery SET state = 'waiting', tries = 0, error = '', status = NULL
          WHERE id = ${id}`)
        await queueDelivery(kernel, db, before)
        await kernel.audit.record(db, request.call, [
          {
            action: 'update',
            resourceType: deliveryDefinition.label,
            resource: before.kind,
            orgId: before.org_id,
            object: { type: deliveryDefinition.name, id },
            changes: [{ field: 'state', before: before.state, after: 'waiting' }],
          },
        ])
        return getStored(deliveries, id, { ...context, db })
      })
      return presentOne(deliveries, stored, context)
    },
  })
}

async function testBody(kernel: Kernel, orgId: string): Promise<string> {
  const organization = { id: orgId, name: (await kernel.orgNames()).get(orgId) ?? '' }
  return JSON.stringify({ id: randomUUID(), kind: 'test', time: new Date().toISOString(), organization, data: {} })
}
