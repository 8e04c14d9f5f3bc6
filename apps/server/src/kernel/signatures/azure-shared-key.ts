import { hmac } from './digests.ts'

/** A call to Azure Blob Storage before it is signed. */
export interface SharedKeyCall {
  account: string
  /** In base64, as Azure shows it. */
  key: string
  method: string
  url: URL
  /** Those that are sent, in lower case. */
  headers: Readonly<Record<string, string>>
  /** Length of the body. */
  bytes: number
}

/**
 * The Authorization header of a call (learn.microsoft.com, "Authorize with Shared Key"). Signed are
 * the method, twelve headers of which two are used, the `x-ms-` headers, the path and the query.
 */
export function signSharedKey({ account, key, method, url, headers, bytes }: SharedKeyCall): string {
  const own = Object.keys(headers)
    .filter((name) => name.startsWith('x-ms-'))
    .sort()
    .map((name) => `${name}:${headers[name]}\n`)
  const query = [...url.searchParams].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => `\n${name}:${value}`)
  const text = [
    method,
    '', // Content-Encoding
    '', // Content-Language
    bytes ? String(bytes) : '',
    '', // Content-MD5
    headers['content-type'] ?? '',
    '', // Date
    '', // If-Modified-Since
    '', // If-Match
    '', // If-None-Match
    '', // If-Unmodified-Since
    '', // Range
    `${own.join('')}/${account}${url.pathname}${query.join('')}`,
  ].join('\n')
  return `SharedKey ${account}:${hmac(Buffer.from(key, 'base64'), text).toString('base64')}`
}
