/**
 * Certificates of OpenSSH by which people log in to machines that trust their authority
 * (PROTOCOL.certkeys of OpenSSH). Keys are Ed25519 alone: both are made here.
 */
import { randomBytes } from 'node:crypto'
import { generateSshKey, parseKey } from '../keys/plain-key.ts'
import { field } from '../keys/wire.ts'

export const CERTIFICATE_TYPE = 'ssh-ed25519-cert-v01@openssh.com'
const USER = 1

/** The terms of a login, to which the machine holds it. */
export interface UserCertificate {
  /** The login whose key may log in; exactly this name. */
  principal: string
  /** For the machine's own log. */
  keyId: string
  validAfter: Date
  validBefore: Date
  /** Addresses and networks from which alone it may be used; from anywhere without any. */
  sourceAddresses: readonly string[]
  /** Such as `permit-pty`; without one, nothing but commands. */
  extensions: readonly string[]
}

/** A key of one login, with its certificate. */
export interface CertifiedKey {
  /** As ssh2 and OpenSSH read it. */
  privateKey: string
  /** In the form of the wire. */
  certificate: Buffer
}

/**
 * A new key, certified by an authority. Throws for a certificate that would be good for more than
 * was meant: one without a name is good for every name.
 * @param authority its private key as it is stored
 */
export function certifiedKey(authority: string, terms: UserCertificate): CertifiedKey {
  if (!terms.principal) throw new Error('a certificate without a name is good for all')
  const signer = parseKey(authority)
  if (!signer?.isPrivateKey() || signer.type !== 'ssh-ed25519') throw new Error('not the key of an authority')
  const key = generateSshKey()
  const point = Buffer.from(key.publicKey.split(' ')[1] ?? '', 'base64').subarray(-32)
  const signed = Buffer.concat([
    text(CERTIFICATE_TYPE),
    field(randomBytes(32)),
    field(point),
    randomSerial(),
    number(USER),
    text(terms.keyId),
    field(text(terms.principal)),
    moment(terms.validAfter),
    moment(terms.validBefore),
    field(criticalOptions(terms)),
    // In the order of their names, as sshd demands.
    field(Buffer.concat([...terms.extensions].sort().map((name) => Buffer.concat([text(name), text('')])))),
    text(''),
    field(signer.getPublicSSH()),
  ])
  const signature = signer.sign(signed) as Buffer | Error
  if (signature instanceof Error) throw signature
  const certificate = Buffer.concat([signed, field(Buffer.concat([text('ssh-ed25519'), field(signature)]))])
  return { privateKey: key.privateKey, certificate }
}

function criticalOptions({ sourceAddresses }: UserCertificate): Buffer {
  if (!sourceAddresses.length) return Buffer.alloc(0)
  return Buffer.concat([text('source-address'), field(text(sourceAddresses.join(',')))])
}

const text = (words: string) => field(Buffer.from(words))

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function moment(date: Date): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(Math.floor(date.getTime() / 1000)))
  return bytes
}

/** Never 0, which is none, and without the sign that some tools would read. */
function randomSerial(): Buffer {
  const bytes = randomBytes(8)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 1
  return bytes
}
