import { hmac, percentEncoded, sortedQuery } from './digests.ts'

/** The query of a GET with its signature (QingCloud, "Signature": HmacSHA256, version 1). */
export function signQingCloud(path: string, parameters: Readonly<Record<string, string>>, secret: string): string {
  const query = sortedQuery(parameters)
  return `${query}&signature=${percentEncoded(hmac(secret, `GET\n${path}\n${query}`).toString('base64'))}`
}
