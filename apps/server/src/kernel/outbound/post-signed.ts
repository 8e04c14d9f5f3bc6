import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { matcherOf } from '../access/source-network.ts'
import { signWebhook } from '../signatures/standard-webhook.ts'
import { type Judge, judgedLookup, judgeOutbound, judgeWritten } from './judged-lookup.ts'

const ANSWER_MS = 10_000

/** Where clear text goes no further than the company's own network. */
const isInside = matcherOf(['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1', 'fc00::/7'])

/** Own and private networks are open: only who may name receivers for the whole installation does so. */
const judgeInClear: Judge = (address) =>
  judgeOutbound(address) ??
  (isInside(address) ? undefined : new Error(`events leave the own network by https alone, not for ${address}`))

/**
 * Posts a body of JSON, signed as Standard Webhooks have it, and answers the status. Redirects are not
 * followed, since they would take it to where nobody decided that it goes. Throws without an answer.
 */
export function postSigned(
  { url, secret }: { url: URL; secret: Buffer },
  body: string,
  { id, now = new Date() }: { id?: string | undefined; now?: Date | undefined } = {},
): Promise<number> {
  const isTls = url.protocol === 'https:'
  const judge = isTls ? judgeOutbound : judgeInClear
  const refusal = judgeWritten(url.hostname, judge)
  if (refusal) return Promise.reject(refusal)
  return new Promise((resolve, reject) => {
    const send = isTls ? requestTls : requestPlain
    const sent = send(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Sallyport',
        ...signWebhook(body, secret, now, id),
      },
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

/** Why an answer confirms nothing; undefined for one that does. */
export function whyUnconfirmed(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined
  return status >= 300 && status < 400
    ? `the receiver answered ${status}, and redirects are not followed`
    : `the receiver answered ${status}`
}
