import { hmac } from './digests.ts'

/**
 * The query of a call for a person who has scanned a code (open.dingtalk.com, "Obtain user
 * information by a temporary code"): the time is signed.
 */
export function signDingTalk(accessKey: string, secret: string, date: Date) {
  const timestamp = String(date.getTime())
  return { accessKey, timestamp, signature: hmac(secret, timestamp).toString('base64') }
}
