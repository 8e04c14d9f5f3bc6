import { createHash, createHmac } from 'node:crypto'

/** SHA-256 in hex. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** HMAC-SHA256. */
export const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Percent-encoding by RFC 3986 §2.3, which encodes more characters than `encodeURIComponent`. */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

/** A query whose names are sorted, as signatures want it. */
export const sortedQuery = (parameters: Readonly<Record<string, string>>): string =>
  Object.keys(parameters)
    .sort()
    .map((name) => `${percentEncoded(name)}=${percentEncoded(parameters[name] ?? '')}`)
    .join('&')

/** The time as AWS and Huawei Cloud sign it: `20260102T030405Z`. */
export const compactTime = (date: Date): string => date.toISOString().replace(/[-:]|\.\d+/g, '')

/** The time as Alibaba Cloud and QingCloud sign it: `2026-01-02T03:04:05Z`. */
export const timeInSeconds = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, 'Z')
