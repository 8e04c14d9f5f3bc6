import { compactTime, hmac, sha256 } from './digests.ts'

/** A POST to a service of AWS before it is signed. */
export interface AwsCall {
  host: string
  service: string
  region: string
  /** Headers besides `host` and `x-amz-date`, in lower case. */
  headers: Readonly<Record<string, string>>
  body: string
  keyId: string
  keySecret: string
  date: Date
  method?: 'GET' | 'POST'
}

/**
 * Headers of a call to `/` without a query, signed by AWS4-HMAC-SHA256 (AWS, "Create a signed AWS
 * API request").
 */
export function signAws({ host, service, region, headers, body, keyId, keySecret, date, method = 'POST' }: AwsCall) {
  const moment = compactTime(date)
  const day = moment.slice(0, 8)
  const signed: Record<string, string> = { ...headers, host, 'x-amz-date': moment }
  const names = Object.keys(signed).sort()
  const lines = names.map((name) => `${name}:${signed[name]?.trim()}\n`).join('')
  const request = `${method}\n/\n\n${lines}\n${names.join(';')}\n${sha256(body)}`
  const scope = `${day}/${region}/${service}/aws4_request`
  const key = [day, region, service, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${keySecret}`)
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${moment}\n${scope}\n${sha256(request)}`).toString('hex')
  return {
    ...headers,
    'x-amz-date': moment,
    authorization: `AWS4-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  }
}
