import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'

/** Kinds of events that a webhook hears of (docs/operate-webhooks.md). */
export const WEBHOOK_KINDS = {
  'ticket.opened': 'Ticket opened',
  'ticket.level_approved': 'Ticket approved at a level',
  'ticket.ended': 'Ticket decided or closed',
  'session.started': 'Session started',
  'session.ended': 'Session ended',
  'alarm.raised': 'Alarm',
} as const
export type WebhookKind = keyof typeof WEBHOOK_KINDS

/** An address that gets signed messages of what happens. An extension: the contract has none. */
export const webhook = defineResource({
  name: 'webhook',
  path: '/api/v1/notifications/webhooks/',
  label: 'Webhook',
  scope: 'org',
  operations: [...CRUD],
  permission: { list: ['super_admin'], write: ['super_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    name: { type: 'string', label: 'Name', required: true, maxLength: 64, unique: 'org' },
    url: {
      type: 'url',
      label: 'Receiver',
      helpText: 'Such as https://example.com/sallyport; http only within your own network',
      required: true,
      maxLength: 1024,
    },
    secret: {
      type: 'string',
      label: 'Secret',
      helpText: 'Both sides know it: whsec_ and 24 bytes or more in base64, or any text of 24 characters or more',
      writeOnly: true,
      minLength: 24,
      maxLength: 256,
    },
    kinds: { type: 'multichoice', label: 'Events', choices: WEBHOOK_KINDS, required: true, minItems: 1 },
    all_orgs: {
      type: 'boolean',
      label: 'Events of all organizations',
      helpText: 'And alarms of the installation, which belong to none',
      default: false,
    },
    is_active: { type: 'boolean', label: 'Active', default: true },
    comment: { type: 'text', label: 'Comment' },
    waiting_amount: { type: 'integer', label: 'Waiting messages', readOnly: true },
    failed_amount: { type: 'integer', label: 'Failed messages', readOnly: true },
    /** Messages that there was no room for. */
    dropped: { type: 'integer', label: 'Dropped messages', readOnly: true },
    date_last_sent: { type: 'datetime', label: 'Last sent', nullable: true, readOnly: true },
    created_by: { type: 'string', label: 'Created by', nullable: true, readOnly: true, maxLength: 30 },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'name'],
  search: ['name', 'url'],
  filters: ['name', 'is_active'],
  ordering: ['name', 'date_created'],
  defaultOrder: ['name'],
})
export type Webhook = Row<typeof webhook>
export type WebhookDraft = Draft<typeof webhook>
