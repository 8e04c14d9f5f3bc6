import { compactTime, hmac, percentEncoded, sha256 } from './digests.ts'

/** A GET to a service of Huawei Cloud before it is signed. */
export interface HuaweiCall {
  url: URL
  /** Headers besides `host` and `x-sdk-date`, in lower case. */
  headers: Readonly<Record<string, string>>
  keyId: string
  keySecret: string
  date: Date
}

/**
 * The signed text of a call without a body, in its canonical form (Huawei Cloud, "API Request
 * Signing Guide": the path ends in a slash, however it is sent).
 */
export function canonicalHuawei({ url }: Pick<HuaweiCall, 'url'>, signed: Readonly<Record<string, string>>): string {
  const query = [...url.searchParams].map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`).sort()
  const names = Object.keys(signed).sort()
  return [
    'GET',
    `${url.pathname.replace(/\/$/, '')}/`,
    query.join('&'),
    ...names.map((name) => `${name}:${signed[name]?.trim()}`),
    '',
    names.join(';'),
    sha256(''),
  ].join('\n')
}

/** Headers of such a call, signed by SDK-HMAC-SHA256. */
export function signHuawei(call: HuaweiCall): Record<string, string> {
  const { url, headers, keyId, keySecret, date } = call
  const moment = compactTime(date)
  const signed = { ...headers, host: url.host, 'x-sdk-date': moment }
  const text = `SDK-HMAC-SHA256\n${moment}\n${sha256(canonicalHuawei(call, signed))}`
  const signature = hmac(keySecret, text).toString('hex')
  const names = Object.keys(signed).sort().join(';')
  return {
    ...headers,
    'x-sdk-date': moment,
    authorization: `SDK-HMAC-SHA256 Access=${keyId}, SignedHeaders=${names}, Signature=${signature}`,
  }
}
