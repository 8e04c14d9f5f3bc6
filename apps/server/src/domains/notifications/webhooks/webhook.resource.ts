import { webhook as definition, type Webhook } from '@sallyport/contract/resources/notifications/webhook.ts'
import { sql } from 'drizzle-orm'
import { refuseLimited } from '../../../kernel/access/limited-key.ts'
import { AppError, invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ReadContext, WriteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { signingKey } from '../../../kernel/signatures/standard-webhook.ts'
import { notificationsWebhook } from './tables.ts'

type Writing = WriteContext<typeof definition, typeof notificationsWebhook>

/** Webhooks of the whole installation: each event asks each of them. */
const MAX_WEBHOOKS = 100

/** Addresses that get signed messages of tickets, sessions and alarms. */
export default function mountWebhooks(kernel: Kernel): void {
  mountResource(kernel, definition, {
    table: notificationsWebhook,
    sealed: ['secret'],
    computed: [{ fields: ['waiting_amount', 'failed_amount', 'dropped', 'date_last_sent'], load: figuresOf }],
    // What happens here leaves the installation.
    rules: { beforeWrite: [({ call }) => refuseLimited(call), refuseTooMany, checkWebhook] },
  })
}

async function refuseTooMany({ db, row }: Writing): Promise<void> {
  if (row) return
  const { rows } = await db.execute<{ amount: number }>(sql`SELECT count(*)::int AS amount FROM notifications_webhook`)
  if ((rows[0]?.amount ?? 0) >= MAX_WEBHOOKS)
    throw new AppError(400, 'too_many', 'There are {{max}} webhooks at most', { values: { max: MAX_WEBHOOKS } })
}

function checkWebhook({ call, draft, row }: Writing): void {
  const fault = (field: string, text: string) => invalid({ [field]: translate(call.language, text) })
  if (draft.url !== undefined && !isReceiver(draft.url))
    throw fault('url', 'Enter an address of http or https without a name and password in it')
  if (!row && !draft.secret) throw fault('secret', 'This field is required.')
  if (draft.secret && !signingKey(draft.secret))
    throw fault('secret', 'Enter whsec_ and 24 bytes or more in base64, or any text of 24 characters or more')
}

function isReceiver(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password
}

type Figures = Pick<Webhook, 'waiting_amount' | 'failed_amount' | 'dropped'> & { date_last_sent: Date | null }
/** As SQL answers them: dates are texts. */
type FiguresRow = Omit<Figures, 'date_last_sent'> & { id: string; date_last_sent: string | null } & Record<
    string,
    unknown
  >

async function figuresOf(rows: readonly { id: string }[], { db }: ReadContext): Promise<Figures[]> {
  const { rows: found } = await db.execute<FiguresRow>(sql`
    SELECT w.id, coalesce(f.dropped, 0)::int AS dropped, f.date_last_sent,
      (SELECT count(*)::int FROM notifications_webhook_delivery d WHERE d.webhook = w.id AND d.state = 'waiting') AS waiting_amount,
      (SELECT count(*)::int FROM notifications_webhook_delivery d WHERE d.webhook = w.id AND d.state = 'failed') AS failed_amount
    FROM notifications_webhook w LEFT JOIN notifications_webhook_figures f ON f.webhook_id = w.id
    WHERE w.id = ANY(${sql.param(rows.map(({ id }) => id))}::uuid[])`)
  const byId = new Map(
    found.map(({ id, date_last_sent: sent, ...counts }) => [
      id,
      { ...counts, date_last_sent: sent ? new Date(sent) : null },
    ]),
  )
  return rows.map(({ id }) => byId.get(id) ?? { waiting_amount: 0, failed_amount: 0, dropped: 0, date_last_sent: null })
}
