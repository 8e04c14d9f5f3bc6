import { hmac, sha256 } from './digests.ts'

/** The shortest secret, in characters. */
export const SHORTEST_SECRET = 24
/** Prefix of a secret in base64, as Standard Webhooks write it; its shortest key, in bytes. */
export const ENCODED_SECRET = 'whsec_'
export const SHORTEST_KEY = 24

/**
 * The key of a secret as people write it; undefined for one that is too short, or that is no base64
 * behind its prefix: that would leave a shorter key, or none.
 */
export function signingKey(secret: string): Buffer | undefined {
  if (secret.length < SHORTEST_SECRET) return undefined
  if (!secret.startsWith(ENCODED_SECRET)) return Buffer.from(secret)
  const encoded = secret.slice(ENCODED_SECRET.length)
  const key = Buffer.from(encoded, 'base64')
  return key.length >= SHORTEST_KEY && /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) ? key : undefined
}

/**
 * Headers of a webhook, signed as Standard Webhooks have it (github.com/standard-webhooks). What is
 * sent again bears the same id: the one given, else one made of the body.
 */
export function signWebhook(body: string, secret: Buffer, date: Date, id = `msg_${sha256(body).slice(0, 32)}`) {
  const seconds = Math.floor(date.getTime() / 1000)
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${hmac(secret, `${id}.${seconds}.${body}`).toString('base64')}`,
  }
}
