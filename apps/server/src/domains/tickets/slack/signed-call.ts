import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { sql } from 'drizzle-orm'
import { isSameSecret } from '../../../kernel/access/same-secret.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'

/** A call counts for five minutes before and after its time, as Slack advises. */
const WINDOW_SECONDS = 300

/**
 * Whether a call is Slack's (api.slack.com/authentication/verifying-requests-from-slack), of now, and
 * has not come before. Each is taken once.
 */
export async function isOfSlack(kernel: Kernel, headers: IncomingHttpHeaders, body: string): Promise<boolean> {
  const secret = settingsOf(kernel).get('SLACK_SIGNING_SECRET')
  const seconds = String(headers['x-slack-request-timestamp'] ?? '')
  const signature = String(headers['x-slack-signature'] ?? '')
  if (!secret || !/^\d{1,12}$/.test(seconds)) return false
  if (Math.abs(Date.now() / 1000 - Number(seconds)) > WINDOW_SECONDS) return false
  const expected = `v0=${createHmac('sha256', secret).update(`v0:${seconds}:${body}`).digest('hex')}`
  if (!isSameSecret(signature, expected)) return false
  const { rowCount } = await kernel.db.execute(sql`
    INSERT INTO tickets_slack_call (signature_hash, date_expired)
    VALUES (${createHash('sha256').update(expected).digest()}, now() + make_interval(secs => ${2 * WINDOW_SECONDS}))
    ON CONFLICT DO NOTHING`)
  return rowCount === 1
}
