import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { matcherOf } from '../../../kernel/access/source-network.ts'
import { type Judge, judgedLookup, judgeOutbound, judgeWritten } from '../../../kernel/outbound/judged-lookup.ts'
import { signWebhook } from '../../../kernel/signatures/standard-webhook.ts'
import { StartRefusal } from '../../../kernel/start-refusal.ts'

export interface Webhook {
  url: URL
  secret: Buffer
}

const ANSWER_MS = 10_000
const SHORTEST_SECRET = 24
/** Prefix of a secret in base64, as Standard Webhooks write it; its shortest key, in bytes. */
const ENCODED = 'whsec_'
const SHORTEST_KEY = 24

/** Where clear text goes no further than the company's own network. */
const isInside = matcherOf(['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1', 'fc00::/7'])

/** The receiver of these settings; undefined for none. Throws StartRefusal for what can be none. */
export function webhookOf(address: string, secret: string): Webhook | undefined {
  if (!address) return undefined
  const url = URL.parse(address)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password)
    throw new StartRefusal(`AUDIT_WEBHOOK_URL must be an address such as https://siem.example.com/events`)
  if (secret.length < SHORTEST_SECRET)
    throw new StartRefusal(`AUDIT_WEBHOOK_SECRET must have ${SHORTEST_SECRET} characters or more`)
  if (!secret.startsWith(ENCODED)) return { url, secret: Buffer.from(secret) }
  // Text that is no base64 would leave a shorter key, or none.
  const encoded = secret.slice(ENCODED.length)
  const key = Buffer.from(encoded, 'base64')
  if (key.length < SHORTEST_KEY || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded))
    throw new StartRefusal(`AUDIT_WEBHOOK_SECRET must be ${SHORTEST_KEY} bytes or more in base64 after ${ENCODED}`)
  return { url, secret: key }
}

/**
 * Sends a body, signed as Standard Webhooks have it. Throws unless the answer is 2xx: redirects are not followed, since they would take
 * the events to where nobody decided that they go.
 */
export async function postSigned({ url, secret }: Webhook, body: string, now = new Date()): Promise<void> {
  const status = await post(url, body, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'Sallyport',
    ...signWebhook(body, secret, now),
  })
  if (status >= 300 && status < 400) throw new Error(`the receiver answered ${status}, and redirects are not followed`)
  if (status < 200 || status >= 300) throw new Error(`the receiver answered ${status}`)
}

function post(url: URL, body: string, headers: Record<string, string | number>): Promise<number> {
  const isTls = url.protocol === 'https:'
  const judge = isTls ? judgeOutbound : judgeInClear
  const refusal = judgeWritten(url.hostname, judge)
  if (refusal) return Promise.reject(refusal)
  return new Promise((resolve, reject) => {
    const send = isTls ? requestTls : requestPlain
    const sent = send(url, {
      method: 'POST',
      headers,
      agent: false,
      signal: AbortSignal.timeout(ANSWER_MS),
      lookup: judgedLookup(judge),
    })
    sent.once('error', reject)
    sent.once('response', (answer) => {
      resolve(answer.statusCode ?? 0)
      // What it says is nobody's business here, and may have no end.
      answer.destroy()
    })
    sent.end(body)
  })
}

/** Own and private networks are open: only who holds the host names the receiver. */
const judgeInClear: Judge = (address) =>
  judgeOutbound(address) ??
  (isInside(address) ? undefined : new Error(`events leave the own network by https alone, not for ${address}`))
