import type { IncomingHttpHeaders } from 'node:http'
import { NoCredentials } from './answer.ts'
import type { ClientCredentials } from './client-sessions.ts'

/** Credentials of a request: a bearer token, or name and password. Throws NoCredentials. */
export function credentialsOf({ authorization = '' }: IncomingHttpHeaders): ClientCredentials {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+)$/.exec(authorization) ?? []
  if (/^bearer$/i.test(scheme)) return { name: value, password: '' }
  if (!/^basic$/i.test(scheme)) throw new NoCredentials()
  const text = Buffer.from(value, 'base64').toString()
  const at = text.indexOf(':')
  if (at < 0) throw new NoCredentials()
  return { name: text.slice(0, at), password: text.slice(at + 1) }
}
