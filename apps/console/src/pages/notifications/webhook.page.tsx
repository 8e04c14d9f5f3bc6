import { PERMISSION } from '@sallyport/contract/access.ts'
import { type Webhook, webhook } from '@sallyport/contract/resources/notifications/webhook.ts'
import { type WebhookDelivery, webhookDelivery } from '@sallyport/contract/resources/notifications/webhook-delivery.ts'
import { showError, showSuccess } from '../../design/dialogs/feedback.tsx'
import { Status } from '../../design/Status.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { api, errorText } from '../../lib/api.ts'
import { formatRelative } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { activeAction } from '../active-action.ts'
import { activeState } from '../row-states.ts'

export const routes = resourcePlaces('Webhook', {
  menu: 'ops',
  order: 80,
  bits: PERMISSION.super,
  path: '/ops/webhooks',
  titles: {
    List: msg('Webhooks'),
    Create: msg('Create webhook'),
    Update: msg('Update webhook'),
    Detail: msg('Webhook detail'),
  },
})

/** A message now, past those that wait. */
const sendTest = ({ id }: Webhook) =>
  api.post<{ msg: string }>(`${webhook.path}${id}/testing/`, {}, { quiet: true }).then(
    ({ msg: words }) => showSuccess(words),
    (error) => showError(errorText(error)),
  )

/** Addresses that get signed messages of tickets, sessions and alarms. */
export const webhookPages = definePages<Webhook>(webhook, {
  list: {
    columns: [
      'name',
      'url',
      'kinds',
      'all_orgs',
      'is_active',
      { field: 'waiting_amount', align: 'right' },
      { field: 'failed_amount', align: 'right' },
      'date_last_sent',
      'comment',
    ],
    defaultColumns: ['name', 'url', 'is_active', 'waiting_amount', 'failed_amount', 'date_last_sent'],
    lead: msg('Your own programs hear of tickets, sessions and alarms, by signed messages.'),
    none: msg('No webhook yet'),
    canClone: false,
    hasSelection: false,
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name', { name: 'url', placeholder: 'https://' }, 'secret', 'is_active'] },
      { title: msg('Events'), fields: ['kinds', 'all_orgs'] },
      { title: msg('Other'), folded: true, fields: ['comment'] },
    ],
  },
  detail: {
    states: (row) => [
      activeState(row),
      row.failed_amount
        ? { tone: 'danger', words: t('{{count|message|messages}} not taken', { count: row.failed_amount }) }
        : undefined,
    ],
    lead: (row) => [
      row.date_last_sent ? t('Last sent {{time}}', { time: formatRelative(row.date_last_sent) }) : t('Never sent'),
    ],
    fields: ['url', 'kinds', 'all_orgs', 'waiting_amount', 'failed_amount', 'dropped', 'date_last_sent', 'comment'],
    quickActions: [
      activeAction(webhook),
      { name: 'test', title: msg('Test message'), button: msg('Test'), run: sendTest },
    ],
    tabs: [{ name: 'WebhookDeliveryList', title: msg('Messages@@webhook'), component: Deliveries }],
  },
})

const TONES = { waiting: 'info', sent: 'good', failed: 'danger' } as const
const STATES = { waiting: msg('Waiting'), sent: msg('Sent'), failed: msg('Failed') } as const

const deliveryPages = definePages<WebhookDelivery>(webhookDelivery, {
  list: {
    columns: [
      'date_created',
      'kind',
      {
        field: 'state',
        width: 112,
        cell: ({ row }) => <Status tone={TONES[row.state]}>{t(STATES[row.state])}</Status>,
      },
      { field: 'tries', width: 96, align: 'right' },
      { field: 'status', width: 96, align: 'right' },
      { field: 'error', sorter: false },
      'date_tried',
      { field: 'body', sorter: false },
    ],
    defaultColumns: ['date_created', 'kind', 'state', 'tries', 'status', 'error', 'date_tried'],
    linkColumn: 'date_created',
    foldFirst: ['date_tried', 'tries'],
    refetchInterval: 5000,
    hideSearch: ['webhook'],
    none: msg('No message yet'),
    rowActions: [
      {
        name: 'again',
        title: msg('Send again'),
        has: ({ state }) => state !== 'waiting',
        run: async ({ id }) => {
          await api.post(`${webhookDelivery.path}${id}/send-again/`)
          await forget(webhookDelivery.path)
          showSuccess(t('The message is queued'))
        },
      },
    ],
  },
})

function Deliveries({ row }: DetailProps<Webhook>) {
  return <ResourceTable pages={deliveryPages} base="WebhookDelivery" inAddress={false} query={{ webhook: row.id }} />
}

export const pages = { Webhook: webhookPages }
