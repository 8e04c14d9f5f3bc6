import { generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto'
import ipaddr from 'ipaddr.js'

/** The credential of a node: PEM, created at each start; the private key is never stored. */
export interface NodeKey {
  privateKey: string
  certificate: string
}

/**
 * A new Ed25519 key with a self-signed certificate (X.509 version 1, RFC 5280 §4.1). The certificate
 * conveys nothing but the key: others trust it because it is in the table of nodes.
 */
export function makeNodeKey(): NodeKey {
  return selfSigned(generateKeyPairSync('ed25519'), sequence(ED25519), null)
}

/**
 * The same for a listener that clients of any age connect to, which know this curve (RFC 5480). It
 * conveys nothing but the key, either, and a name, for clients that want one.
 */
export function makeServerCertificate(name?: string): NodeKey {
  const key = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  return selfSigned(key, sequence(ECDSA_WITH_SHA256), 'sha256', name ? { names: [name] } : undefined)
}

/**
 * A certificate that browsers take from a site once a person has compared its fingerprint: for these
 * names and addresses, and no longer than Apple's accept one
 * (https://support.apple.com/en-us/103769).
 */
export function makeSiteCertificate(names: readonly string[]): NodeKey {
  const key = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const now = Date.now()
  const time = (days: number) => der(UTC_TIME, Buffer.from(utcTime(new Date(now + days * DAY_MS))))
  // From yesterday on, for clients whose clock is late.
  const validity = sequence(time(-1), time(SITE_DAYS))
  return selfSigned(key, sequence(ECDSA_WITH_SHA256), 'sha256', { names, more: [FOR_SERVERS], validity })
}

const DAY_MS = 86_400_000
/** Days for which a site's certificate is valid: with the day before, fewer than 825. */
const SITE_DAYS = 820

/** YYMMDDhhmmssZ, which is of this half of the century (RFC 5280 §4.1.2.5.1). */
const utcTime = (date: Date) => `${date.toISOString().replace(/\D/g, '').slice(2, 14)}Z`

/** What only version 3 has (RFC 5280 §4.1). */
interface Version3 {
  /** Names and addresses that the certificate is for. */
  names: readonly string[]
  more?: readonly Buffer[]
  validity?: Buffer
}

function selfSigned(
  { privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject },
  algorithm: Buffer,
  hash: 'sha256' | null,
  version3?: Version3,
): NodeKey {
  const signed = sequence(
    ...(version3 ? [VERSION_3] : []),
    der(INTEGER, Buffer.concat([Buffer.of(1), randomBytes(15)])),
    algorithm,
    NAME,
    version3?.validity ?? FOR_EVER,
    NAME,
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(version3 ? [extensionsOf(version3)] : []),
  )
  // A bit string begins with the number of unused bits in its last byte.
  const signature = der(BIT_STRING, Buffer.concat([Buffer.of(0), sign(hash, signed, privateKey)]))
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: new X509Certificate(sequence(signed, algorithm, signature)).toString(),
  }
}

const extensionsOf = ({ names, more = [] }: Version3) =>
  der(EXTENSIONS, sequence(extension(SUBJECT_ALT_NAME, sequence(...names.map(altName))), ...more))

const extension = (id: Buffer, value: Buffer) => sequence(id, der(OCTET_STRING, value))

const altName = (name: string) =>
  ipaddr.isValid(name)
    ? der(IP_ADDRESS, Buffer.from(ipaddr.parse(name).toByteArray()))
    : der(DNS_NAME, Buffer.from(name))

const [INTEGER, BIT_STRING, OCTET_STRING, OBJECT_ID, UTF8_STRING] = [0x02, 0x03, 0x04, 0x06, 0x0c] as const
const [DNS_NAME, IP_ADDRESS, VERSION, EXTENSIONS] = [0x82, 0x87, 0xa0, 0xa3] as const
const [UTC_TIME, GENERALIZED_TIME, SEQUENCE, SET] = [0x17, 0x18, 0x30, 0x31] as const

/** One value in distinguished encoding (X.690 §8.1), of less than 65,536 bytes. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...head), content])
}

const sequence = (...parts: Buffer[]) => der(SEQUENCE, Buffer.concat(parts))

/** 1.3.101.112 (RFC 8410 §3). */
const ED25519 = der(OBJECT_ID, Buffer.of(0x2b, 0x65, 0x70))
/** 1.2.840.10045.4.3.2 (RFC 5758 §3.2). */
const ECDSA_WITH_SHA256 = der(OBJECT_ID, Buffer.of(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
/** 2.5.4.3, the common name. */
const COMMON_NAME = der(OBJECT_ID, Buffer.of(0x55, 0x04, 0x03))
const NAME = sequence(der(SET, sequence(COMMON_NAME, der(UTF8_STRING, Buffer.from('Sallyport')))))
/** It ends with its process, not at a date by a clock that may be wrong (RFC 5280 §4.1.2.5). */
const FOR_EVER = sequence(
  der(UTC_TIME, Buffer.from('000101000000Z')),
  der(GENERALIZED_TIME, Buffer.from('99991231235959Z')),
)
const VERSION_3 = der(VERSION, der(INTEGER, Buffer.of(2)))
/** 2.5.29.17 (RFC 5280 §4.2.1.6). */
const SUBJECT_ALT_NAME = der(OBJECT_ID, Buffer.of(0x55, 0x1d, 0x11))
/** Extended key usage for TLS servers: 2.5.29.37 with 1.3.6.1.5.5.7.3.1 (RFC 5280 §4.2.1.12). */
const FOR_SERVERS = extension(
  der(OBJECT_ID, Buffer.of(0x55, 0x1d, 0x25)),
  sequence(der(OBJECT_ID, Buffer.of(0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01))),
)
