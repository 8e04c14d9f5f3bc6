import { defineResource, type Row } from '../../define.ts'
import { WEBHOOK_KINDS } from './webhook.ts'

/** A message of a webhook, and what came of it. An extension: the contract has none. */
export const webhookDelivery = defineResource({
  name: 'webhook_delivery',
  path: '/api/v1/notifications/webhook-deliveries/',
  label: 'Webhook message',
  scope: 'org',
  operations: ['list', 'retrieve'],
  permission: { list: ['super_admin'], write: ['super_admin'] },
  display: '{kind}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    webhook: { type: 'ref', label: 'Webhook', to: 'webhook', readOnly: true },
    kind: { type: 'choice', label: 'Event', choices: WEBHOOK_KINDS, readOnly: true },
    /** As it is sent; the same each time. */
    body: { type: 'text', label: 'Content', readOnly: true },
    state: {
      type: 'choice',
      label: 'State',
      choices: { waiting: 'Waiting', sent: 'Sent', failed: 'Failed' },
      readOnly: true,
    },
    tries: { type: 'integer', label: 'Attempts', readOnly: true },
    /** The HTTP status of the last answer; null without one. */
    status: { type: 'integer', label: 'Answer', nullable: true, readOnly: true },
    error: { type: 'string', label: 'Error', readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_tried: { type: 'datetime', label: 'Last attempt', nullable: true, readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['body'],
  filters: ['webhook', 'kind', 'state'],
  ordering: ['date_created'],
  defaultOrder: ['-date_created'],
})
export type WebhookDelivery = Row<typeof webhookDelivery>
