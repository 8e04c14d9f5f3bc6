import { hmac, sha256 } from './digests.ts'

/** A call to Tencent Cloud before it is signed. */
export interface Tc3Call {
  host: string
  service: string
  /** JSON, exactly as it is sent. */
  body: string
  secretId: string
  secretKey: string
  date: Date
}

export const TC3_CONTENT_TYPE = 'application/json; charset=utf-8'

/**
 * The Authorization header of a POST, signed by TC3-HMAC-SHA256 (Tencent Cloud API 3.0, "Signature
 * v3").
 */
export function signTc3({ host, service, body, secretId, secretKey, date }: Tc3Call): string {
  const signed = 'content-type;host'
  const request = `POST\n/\n\ncontent-type:${TC3_CONTENT_TYPE}\nhost:${host}\n\n${signed}\n${sha256(body)}`
  const day = date.toISOString().slice(0, 10)
  const scope = `${day}/${service}/tc3_request`
  const text = `TC3-HMAC-SHA256\n${secondsOf(date)}\n${scope}\n${sha256(request)}`
  const key = [day, service, 'tc3_request'].reduce<Buffer | string>((made, part) => hmac(made, part), `TC3${secretKey}`)
  return `TC3-HMAC-SHA256 Credential=${secretId}/${scope}, SignedHeaders=${signed}, Signature=${hmac(key, text).toString('hex')}`
}

/** As the header `x-tc-timestamp` says it, too. */
export const secondsOf = (date: Date) => Math.floor(date.getTime() / 1000)
