import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { z } from 'zod'

/** Begins every license, so that nothing else signed with the key can pass as one. */
const PREFIX = 'sallyport-license'

export const EDITIONS = {
  community: 'Community edition',
  standard: 'Standard edition',
  enterprise: 'Enterprise edition',
  ultimate: 'Ultimate edition',
} as const

export type Edition = keyof typeof EDITIONS

export function isEdition(text: string): text is Edition {
  return Object.hasOwn(EDITIONS, text)
}

const licenseShape = z.object({
  subscription_id: z.string().min(1).max(64),
  corporation: z.string().min(1).max(256),
  /** The last day of validity, in UTC. */
  date_expired: z.iso.date(),
  /** null: unlimited. */
  asset_count: z.number().int().min(1).max(1_000_000_000).nullable(),
  edition: z.enum(Object.keys(EDITIONS) as [Edition]),
})

/** The content of a license (docs/rules/xpack.md#license). */
export type License = z.infer<typeof licenseShape>

/**
 * One line: `sallyport-license.<JSON>.<Ed25519 signature>`, both parts in base64url (RFC 8032,
 * A4.06).
 */
export function signLicense(license: License, key: KeyObject): string {
  const payload = Buffer.from(JSON.stringify(license)).toString('base64url')
  return `${PREFIX}.${payload}.${sign(null, Buffer.from(`${PREFIX}.${payload}`), key).toString('base64url')}`
}

/** The license in a document; undefined when it is malformed or not signed with this key. */
export function readLicense(document: string, key: KeyObject): License | undefined {
  const [prefix, payload = '', signature = '', ...more] = document.trim().split('.')
  if (prefix !== PREFIX || more.length) return undefined
  if (!verify(null, Buffer.from(`${PREFIX}.${payload}`), key, Buffer.from(signature, 'base64url'))) return undefined
  try {
    return licenseShape.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()))
  } catch {
    return undefined
  }
}

/** The end of a license's last day, in milliseconds. */
export function endOf({ date_expired }: License): number {
  return Date.parse(`${date_expired}T00:00:00Z`) + 24 * 60 * 60 * 1000
}

/** The Ed25519 key of a PEM text, or of its body alone as one line; undefined when it is none. */
export function publicKeyOf(text: string): KeyObject | undefined {
  try {
    const key = text.includes('-----')
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'ed25519' ? key : undefined
  } catch {
    return undefined
  }
}
