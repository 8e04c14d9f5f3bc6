import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { LICENSE_WITHOUT_END } from '@sallyport/contract/constants.ts'
import { type License, publicKeyOf, readLicense, signLicense } from './license-document.ts'

/** Begins what is stored of one; an imported license begins otherwise. */
const PREFIX = 'sallyport-community'

/**
 * A license without end for Community, by a key that is made for it and kept nowhere: it can sign
 * nothing else. Stored with its public key, in one line of three words: every node needs that to
 * check it.
 */
export function makeCommunityLicense(): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const license: License = {
    subscription_id: randomUUID(),
    corporation: 'Community',
    date_expired: LICENSE_WITHOUT_END,
    asset_count: null,
    edition: 'community',
  }
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  return `${PREFIX} ${key} ${signLicense(license, privateKey)}`
}

/** Whether a stored document is the installation's own license, and not one that was imported. */
export function isCommunityLicense(document: string): boolean {
  return document.startsWith(`${PREFIX} `)
}

/** The license in such a document; undefined when it was altered. */
export function readCommunityLicense(document: string): License | undefined {
  const [, publicKey = '', license = ''] = document.split(' ')
  const key = publicKeyOf(publicKey)
  return key && readLicense(license, key)
}
