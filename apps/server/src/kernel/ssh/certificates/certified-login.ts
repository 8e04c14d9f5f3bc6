import type ssh2 from 'ssh2'
import { parseKey } from '../keys/plain-key.ts'
import { CERTIFICATE_TYPE, type CertifiedKey } from './user-certificate.ts'

/** A key as ssh2 logs in with it, which shows its certificate instead of its public half. */
export function certifiedLogin({ privateKey, certificate }: CertifiedKey): ssh2.ParsedKey {
  const key = parseKey(privateKey)
  if (!key) throw new Error('a generated key could not be read')
  return Object.create(key, { type: { value: CERTIFICATE_TYPE }, getPublicSSH: { value: () => certificate } })
}
