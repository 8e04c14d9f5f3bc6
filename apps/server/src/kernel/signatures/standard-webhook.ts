import { hmac, sha256 } from './digests.ts'

/**
 * Headers of a webhook, signed as Standard Webhooks have it (github.com/standard-webhooks). What is
 * sent again bears the same id.
 */
export function signWebhook(body: string, secret: Buffer, date: Date) {
  const id = `msg_${sha256(body).slice(0, 32)}`
  const seconds = Math.floor(date.getTime() / 1000)
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${hmac(secret, `${id}.${seconds}.${body}`).toString('base64')}`,
  }
}
