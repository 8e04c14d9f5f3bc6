import { hmac, sha256, sortedQuery, timeInSeconds } from './digests.ts'

/** A call to Alibaba Cloud before it is signed. */
export interface Acs3Call {
  host: string
  action: string
  version: string
  /** Parameters of the action. */
  query: Readonly<Record<string, string>>
  keyId: string
  keySecret: string
  /** Random, never used again. */
  nonce: string
  date: Date
}

const NO_BODY = sha256('')

/**
 * Query and headers of a POST without a body, signed by ACS3-HMAC-SHA256 (Alibaba Cloud, "Request
 * syntax and signature method V3").
 */
export function signAcs3({ host, action, version, query, keyId, keySecret, nonce, date }: Acs3Call) {
  const search = sortedQuery(query)
  const headers: Record<string, string> = {
    host,
    'x-acs-action': action,
    'x-acs-content-sha256': NO_BODY,
    'x-acs-date': timeInSeconds(date),
    'x-acs-signature-nonce': nonce,
    'x-acs-version': version,
  }
  const signed = Object.keys(headers).join(';')
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const request = `POST\n/\n${search}\n${lines.join('')}\n${signed}\n${NO_BODY}`
  const text = `ACS3-HMAC-SHA256\n${sha256(request)}`
  const signature = hmac(keySecret, text).toString('hex')
  const { host: _, ...sent } = headers
  return {
    search,
    headers: {
      ...sent,
      authorization: `ACS3-HMAC-SHA256 Credential=${keyId},SignedHeaders=${signed},Signature=${signature}`,
    },
  }
}
