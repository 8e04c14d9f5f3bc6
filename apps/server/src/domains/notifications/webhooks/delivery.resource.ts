import { webhookDelivery } from '@sallyport/contract/resources/notifications/webhook-delivery.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { notificationsWebhookDelivery } from './tables.ts'
import { whyNotTaken } from './why-not-taken.ts'

/** Messages of webhooks, and what came of them. */
export default function mountWebhookDeliveries(kernel: Kernel): void {
  mountResource(kernel, webhookDelivery, {
    table: notificationsWebhookDelivery,
    computed: [
      {
        fields: ['error'],
        load: async (rows, { call }) => rows.map((row) => ({ error: whyNotTaken(call.language, row) })),
      },
    ],
  })
}
