import { generateKeyPairSync } from 'node:crypto'
import { issueLicense } from '../src/domains/xpack/issue-license.ts'

/** The key of a service that only tests run. */
export const { privateKey, publicKey } = generateKeyPairSync('ed25519')

/**
 * Settings of a service that checks licenses with that key; `days` of validity of the one it brings
 * along. Undefined: it has none, not even the one for Community.
 */
export function licenseSettings(days?: number): Record<string, string> {
  return {
    SALLYPORT_LICENSE_PUBLIC_KEY: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    ...(days === undefined
      ? { SALLYPORT_LICENSE: '', SALLYPORT_COMMUNITY_LICENSE: 'false' }
      : { SALLYPORT_LICENSE: issueLicense(privateKey, { corporation: 'Harbour Ltd', days }) }),
  }
}
