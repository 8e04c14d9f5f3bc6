import { postSigned, whyUnconfirmed } from '../../../kernel/outbound/post-signed.ts'
import {
  ENCODED_SECRET,
  SHORTEST_KEY,
  SHORTEST_SECRET,
  signingKey,
} from '../../../kernel/signatures/standard-webhook.ts'
import { StartRefusal } from '../../../kernel/start-refusal.ts'

export interface Webhook {
  url: URL
  secret: Buffer
}

/** The receiver of these settings; undefined for none. Throws StartRefusal for what can be none. */
export function webhookOf(address: string, secret: string): Webhook | undefined {
  if (!address) return undefined
  const url = URL.parse(address)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password)
    throw new StartRefusal(`AUDIT_WEBHOOK_URL must be an address such as https://siem.example.com/events`)
  if (secret.length < SHORTEST_SECRET)
    throw new StartRefusal(`AUDIT_WEBHOOK_SECRET must have ${SHORTEST_SECRET} characters or more`)
  const key = signingKey(secret)
  if (!key)
    throw new StartRefusal(
      `AUDIT_WEBHOOK_SECRET must be ${SHORTEST_KEY} bytes or more in base64 after ${ENCODED_SECRET}`,
    )
  return { url, secret: key }
}

/** Sends events. Throws unless the answer is 2xx. */
export async function postEvents(to: Webhook, body: string): Promise<void> {
  const why = whyUnconfirmed(await postSigned(to, body))
  if (why) throw new Error(why)
}
