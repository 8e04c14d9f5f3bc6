import { sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { deleteInSlices } from '../../../kernel/database/delete-in-slices.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { postSigned, whyUnconfirmed } from '../../../kernel/outbound/post-signed.ts'
import { signingKey } from '../../../kernel/signatures/standard-webhook.ts'
import { NO_ANSWER, NO_SECRET, type Outcome, SWITCHED_OFF } from './why-not-taken.ts'

/** As the migration has it, whose triggers queue new messages. */
const DELIVER = 'notifications.deliver_webhook'
/** After the first attempt the next comes in a quarter of a minute, then in twice the time: four hours in all. */
const TRIES = 11
const RETRY_DELAY_SECONDS = 15
const SEND_LIMIT_SECONDS = 60
/** Webhooks that are called at once on a node; each by one call at a time, on all nodes together. */
const AT_ONCE = 8
const KEEP_DAYS = 14
const MAX_ERROR = 300

interface Waiting extends Record<string, unknown> {
  id: string
  webhook: string
  about: string
  body: string
  tries: number
  url: string
  secret_sealed: Buffer | null
  is_active: boolean
  /** Another one about the same is older, and waits too. */
  has_older: boolean
}

/** Messages that wait are sent, tried again, and in the end given up; old ones are forgotten. */
export function registerDeliveries(kernel: Kernel): void {
  kernel.jobs.work<{ delivery: string }>(DELIVER, ({ delivery }) => deliver(kernel, delivery), {
    concurrency: AT_ONCE,
    perOwner: 1,
    // The message counts for itself: a job that was lost with its node is no attempt.
    retries: TRIES + 2,
    retryDelaySeconds: RETRY_DELAY_SECONDS,
    expireSeconds: SEND_LIMIT_SECONDS,
  })
  kernel.jobs.schedule(
    { name: 'notifications.forget_webhook_messages', cron: '35 3 * * *', title: 'Remove old webhook messages' },
    async () => {
      await deleteInSlices(
        kernel.db,
        (limit) => sql`DELETE FROM notifications_webhook_delivery WHERE id IN (
          SELECT id FROM notifications_webhook_delivery
          WHERE date_created < now() - make_interval(days => ${KEEP_DAYS}) LIMIT ${limit})`,
      )
    },
  )
}

/** Queues a message, which is sent once those before it about the same are over. */
export async function queueDelivery(kernel: Kernel, db: Database, row: { id: string; webhook: string }): Promise<void> {
  await kernel.jobs.send(DELIVER, { delivery: row.id }, { db, owner: row.webhook })
}

/** Sends a message; throws where it is to be tried again. One that is behind another waits for that. */
async function deliver(kernel: Kernel, id: string): Promise<void> {
  const message = await waitingMessage(kernel.db, id)
  if (!message || message.has_older) return
  if (!message.is_active) return end(kernel, message, 'failed', { error: SWITCHED_OFF })
  const outcome = await post(kernel, message)
  if (!outcome.error) return end(kernel, message, 'sent', outcome)
  kernel.app.log.warn({ webhook: message.webhook, reason: outcome.error }, 'a webhook did not take a message')
  if (message.tries + 1 >= TRIES) return end(kernel, message, 'failed', outcome)
  await kernel.db.execute(sql`
    UPDATE notifications_webhook_delivery
    SET tries = tries + 1, status = ${outcome.status ?? null}, error = ${outcome.error}, date_tried = now()
    WHERE id = ${id} AND state = 'waiting'`)
  throw new Error(outcome.error)
}

async function waitingMessage(db: Database, id: string): Promise<Waiting | undefined> {
  const { rows } = await db.execute<Waiting>(sql`
    SELECT d.id, d.webhook, d.about, d.body, d.tries, w.url, w.secret_sealed, w.is_active,
      EXISTS (SELECT FROM notifications_webhook_delivery o
        WHERE o.webhook = d.webhook AND o.about = d.about AND o.state = 'waiting' AND o.id < d.id) AS has_older
    FROM notifications_webhook_delivery d JOIN notifications_webhook w ON w.id = d.webhook
    WHERE d.id = ${id} AND d.state = 'waiting'`)
  return rows[0]
}

/** Sends a body by the address and the secret of a webhook. */
export async function post(
  kernel: Kernel,
  { webhook, body, url, secret_sealed }: Pick<Waiting, 'webhook' | 'body' | 'url' | 'secret_sealed'>,
): Promise<Outcome> {
  try {
    const key = secret_sealed && signingKey(kernel.secrets.open('message', `webhook ${webhook}`)(secret_sealed))
    if (!key) return { error: NO_SECRET }
    const { id } = JSON.parse(body) as { id: string }
    const status = await postSigned({ url: new URL(url), secret: key }, body, { id })
    return { status, error: whyUnconfirmed(status) ?? '' }
  } catch (error) {
    return { error: (error as Error).message.slice(0, MAX_ERROR) || NO_ANSWER }
  }
}

/** Stores what came of a message, and goes on with the next one about the same. */
async function end(kernel: Kernel, message: Waiting, state: 'sent' | 'failed', outcome: Outcome): Promise<void> {
  await kernel.db.transaction(async (db) => {
    await db.execute(sql`
      UPDATE notifications_webhook_delivery
      SET state = ${state}, tries = tries + 1, status = ${outcome.status ?? null}, error = ${outcome.error}, date_tried = now()
      WHERE id = ${message.id}`)
    if (state === 'sent')
      await db.execute(sql`
        INSERT INTO notifications_webhook_figures (webhook_id, date_last_sent) VALUES (${message.webhook}, now())
        ON CONFLICT (webhook_id) DO UPDATE SET date_last_sent = excluded.date_last_sent`)
    const { rows } = await db.execute<{ id: string; webhook: string }>(sql`
      SELECT id, webhook FROM notifications_webhook_delivery
      WHERE webhook = ${message.webhook} AND about = ${message.about} AND state = 'waiting' ORDER BY id LIMIT 1`)
    if (rows[0]) await queueDelivery(kernel, db, rows[0])
  })
}
