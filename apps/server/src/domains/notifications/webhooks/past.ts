import { randomUUID } from 'node:crypto'
import type { WebhookKind } from '@sallyport/contract/resources/notifications/webhook.ts'
import { sql } from 'drizzle-orm'
import type { CallOrg } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { notificationsWebhookDelivery } from './tables.ts'

/** A message of a webhook from before, and what came of it. */
export interface PastDelivery {
  kind: WebhookKind
  about: string
  at: Date
  data: object
  state: 'waiting' | 'sent' | 'failed'
  tries: number
  status?: number
  error?: string
}

/**
 * Stores messages that were before this server was there, as for a demonstration. None is queued, so none
 * is ever sent.
 */
export async function storePastDeliveries(
  db: Database,
  webhook: string,
  org: CallOrg,
  deliveries: readonly PastDelivery[],
): Promise<void> {
  await db.insert(notificationsWebhookDelivery).values(
    deliveries.map(({ kind, about, at, data, state, tries, status, error }) => ({
      org_id: org.id,
      webhook,
      kind,
      about,
      body: JSON.stringify({
        id: randomUUID(),
        kind,
        time: at.toISOString(),
        organization: { id: org.id, name: org.name },
        data,
      }),
      state,
      tries,
      status: status ?? null,
      error: error ?? '',
      date_created: at,
      date_tried: tries ? at : null,
    })),
  )
  const last = deliveries.filter(({ state }) => state === 'sent').map(({ at }) => at.getTime())
  if (last.length)
    await db.execute(sql`
      INSERT INTO notifications_webhook_figures (webhook_id, date_last_sent)
      VALUES (${webhook}, ${new Date(Math.max(...last)).toISOString()}) ON CONFLICT DO NOTHING`)
}
