import { createHash, type KeyObject, randomBytes } from 'node:crypto'
import type ssh2 from 'ssh2'
import { utils } from '../ssh2/index.ts'
import { field } from './wire.ts'

export interface SshKey {
  /** Readable by ssh2 and OpenSSH, without a passphrase; empty for a public key alone. */
  privateKey: string
  /** One line as in `authorized_keys`, without a comment. */
  publicKey: string
  /** MD5 with colons (docs/rules/assets.md#ssh_key_fingerprint). */
  fingerprint: string
}

/** Reads a private key as it is stored. Undefined for anything else, and for a locked one. */
export function readStoredKey(text: string): SshKey | undefined {
  const parsed = parseKey(text.trim())
  return parsed?.isPrivateKey() ? { privateKey: `${text.trim()}\n`, ...describe(parsed) } : undefined
}

/** A new ed25519 key pair. */
export function generateSshKey(): SshKey {
  const key = readStoredKey(utils.generateKeyPairSync('ed25519').private)
  if (!key) throw new Error('a generated key could not be read')
  return key
}

/** What ssh2 makes of a key. Undefined for what it can't read. */
export function parseKey(text: string, passphrase?: string): ssh2.ParsedKey | undefined {
  try {
    const parsed = [utils.parseKey(text, passphrase)].flat()[0]
    return parsed instanceof Error ? undefined : parsed
  } catch {
    return undefined
  }
}

export function describe(key: ssh2.ParsedKey): { publicKey: string; fingerprint: string } {
  const blob = key.getPublicSSH()
  return { publicKey: `${key.type} ${blob.toString('base64')}`, fingerprint: md5Of(blob) }
}

export const md5Of = (blob: Buffer): string =>
  createHash('md5').update(blob).digest('hex').match(/../g)?.join(':') ?? ''

/** `SHA256:…` of a key in wire format, as `ssh-keygen -l` prints it. */
export const sha256Of = (blob: Buffer): string =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`

/** The key in a form that ssh2 reads. Undefined for a type that it has no use for. */
export function storedForm(key: KeyObject): string | undefined {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return key.export({ type: 'pkcs1', format: 'pem' }).toString()
    case 'ec':
      return key.export({ type: 'sec1', format: 'pem' }).toString()
    case 'ed25519':
      return asOpenSsh(key)
    default:
      return undefined
  }
}

/** ssh2 reads ed25519 keys in OpenSSH's own format alone (PROTOCOL.key of OpenSSH). */
function asOpenSsh(key: KeyObject): string {
  const { d = '', x = '' } = key.export({ format: 'jwk' })
  const seed = Buffer.from(d, 'base64url')
  const point = Buffer.from(x, 'base64url')
  const type = Buffer.from('ssh-ed25519')
  const check = randomBytes(4)
  const inner = Buffer.concat([
    check,
    check,
    field(type),
    field(point),
    field(Buffer.concat([seed, point])),
    field(Buffer.alloc(0)),
  ])
  const padding = Buffer.from(Array.from({ length: (8 - (inner.length % 8)) % 8 }, (_, index) => index + 1))
  const none = field(Buffer.from('none'))
  const body = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    none,
    none,
    field(Buffer.alloc(0)),
    Buffer.from([0, 0, 0, 1]),
    field(Buffer.concat([field(type), field(point)])),
    field(Buffer.concat([inner, padding])),
  ])
  const lines = body.toString('base64').match(/.{1,70}/g) ?? []
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join('\n')}\n-----END OPENSSH PRIVATE KEY-----\n`
}
