import { createHash, createHmac } from 'node:crypto'

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

const NO_BODY = createHash('sha256').update('').digest('hex')

/**
 * Query and headers of a POST without a body, signed by ACS3-HMAC-SHA256 (Alibaba Cloud, "Request
 * syntax and signature method V3").
 */
export function signAcs3({ host, action, version, query, keyId, keySecret, nonce, date }: Acs3Call) {
  const search = Object.keys(query)
    .sort()
    .map((name) => `${encode(name)}=${encode(query[name] ?? '')}`)
    .join('&')
  const headers: Record<string, string> = {
    host,
    'x-acs-action': action,
    'x-acs-content-sha256': NO_BODY,
    'x-acs-date': date.toISOString().replace(/\.\d+Z$/, 'Z'),
    'x-acs-signature-nonce': nonce,
    'x-acs-version': version,
  }
  const signed = Object.keys(headers).join(';')
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const request = `POST\n/\n${search}\n${lines.join('')}\n${signed}\n${NO_BODY}`
  const text = `ACS3-HMAC-SHA256\n${createHash('sha256').update(request).digest('hex')}`
  const signature = createHmac('sha256', keySecret).update(text).digest('hex')
  const { host: _, ...sent } = headers
  return {
    search,
    headers: {
      ...sent,
      authorization: `ACS3-HMAC-SHA256 Credential=${keyId},SignedHeaders=${signed},Signature=${signature}`,
    },
  }
}

/** Percent-encoding by RFC 3986 §2.3, which encodes more characters than `encodeURIComponent`. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
