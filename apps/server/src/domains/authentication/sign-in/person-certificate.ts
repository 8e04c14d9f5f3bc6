import type { Settings } from '@sallyport/contract/settings/index.ts'
import ipaddr from 'ipaddr.js'
import {
  CERTIFIED,
  type Certificate,
  isInTime,
  readCertificate,
  typeOfKey,
} from '../../../kernel/ssh/certificates/certificate.ts'
import { sha256Of } from '../../../kernel/ssh/keys/plain-key.ts'
import { FieldReader } from '../../../kernel/ssh/keys/wire.ts'

interface Asked {
  username: string
  /** Where the person comes from. */
  address: string
}
type Trust = Pick<Settings, 'TERMINAL_USER_AUTHORITIES' | 'TERMINAL_REVOKED_CERTIFICATES'>

/** Whether a key in wire form, in base64, is a certificate. */
export const isCertificate = (publicKey: string): boolean =>
  typeOfKey(Buffer.from(publicKey, 'base64')).endsWith(CERTIFIED)

/**
 * Whether a certificate is this person's, from there and now, by an authority that is trusted; its key
 * has still to be proven. Whatever is not known about it makes it none.
 */
export function isCertificateOf(publicKey: string, asked: Asked, trust: Trust): boolean {
  const certificate = readCertificate(Buffer.from(publicKey, 'base64'))
  return (
    certificate !== undefined &&
    certificate.kind === 'user' &&
    isTrusted(certificate, trust.TERMINAL_USER_AUTHORITIES) &&
    isInTime(certificate) &&
    // Whole, and by itself: none is good for all, and a comma in a name divides nothing.
    certificate.principals.includes(asked.username) &&
    isFrom(certificate, asked.address) &&
    !isRevoked(certificate, trust.TERMINAL_REVOKED_CERTIFICATES)
  )
}

const linesOf = (text: string) =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean)

function isTrusted({ authority }: Certificate, authorities: string): boolean {
  const key = authority.toString('base64')
  return linesOf(authorities).some((line) => line.split(/\s+/)[1] === key)
}

/** Holds the addresses of the certificate; with any other condition it is refused. */
function isFrom({ criticalOptions }: Certificate, address: string): boolean {
  for (const [name, value] of criticalOptions) if (name !== 'source-address' || !isWithin(value, address)) return false
  return true
}

function isWithin(value: Buffer, address: string): boolean {
  try {
    const reader = new FieldReader(value)
    const networks = reader.bytes().toString('utf8').split(',')
    if (!reader.isAtEnd) return false
    const from = ipaddr.process(address)
    return networks.some((network) => {
      const [range, bits] = network.includes('/') ? ipaddr.parseCIDR(network) : [ipaddr.parse(network), undefined]
      if (range.kind() !== from.kind()) return false
      return from.match(range, bits ?? (range.kind() === 'ipv4' ? 32 : 128))
    })
  } catch {
    return false
  }
}

function isRevoked({ serial, keyId, key, authority }: Certificate, revoked: string): boolean {
  const known = new Set([`serial ${serial}`, `id ${keyId.trim()}`, sha256Of(key), sha256Of(authority)])
  return linesOf(revoked).some((line) => known.has(line))
}
