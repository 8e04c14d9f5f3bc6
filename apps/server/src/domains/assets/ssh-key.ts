import { createHash, createPrivateKey, type KeyObject, randomBytes } from 'node:crypto'
import type ssh2 from 'ssh2'
import { utils } from '../../kernel/ssh/ssh2/index.ts'

export interface SshKey {
  /** Readable by ssh2 and OpenSSH, without a passphrase; empty for a public key alone. */
  privateKey: string
  /** One line as in `authorized_keys`. */
  publicKey: string
  /** MD5 with colons (contract/assets.yaml ssh_key_fingerprint). */
  fingerprint: string
}

/**
 * Reads a private key in any usual form (OpenSSH, PKCS#1, SEC1, PKCS#8). Undefined for anything
 * else and for a wrong passphrase.
 */
export function readPrivateKey(text: string, passphrase?: string): SshKey | undefined {
  const plain = withoutPassphrase(text.trim(), passphrase)
  const parsed = plain === undefined ? undefined : parse(plain)
  if (!plain || !parsed?.isPrivateKey()) return undefined
  return { privateKey: `${plain.trim()}\n`, ...describe(parsed) }
}

/** Reads a public key line. Undefined for anything else. */
export function readPublicKey(text: string): SshKey | undefined {
  const parsed = parse(text.trim())
  return parsed && !parsed.isPrivateKey() ? { privateKey: '', ...describe(parsed) } : undefined
}

/** A new ed25519 key pair. */
export function generateSshKey(): SshKey {
  const key = readPrivateKey(utils.generateKeyPairSync('ed25519').private)
  if (!key) throw new Error('a generated key could not be read')
  return key
}

function parse(text: string, passphrase?: string): ssh2.ParsedKey | undefined {
  try {
    const parsed = [utils.parseKey(text, passphrase)].flat()[0]
    return parsed instanceof Error ? undefined : parsed
  } catch {
    return undefined
  }
}

function describe(key: ssh2.ParsedKey): { publicKey: string; fingerprint: string } {
  const blob = key.getPublicSSH()
  const fingerprint = createHash('md5').update(blob).digest('hex').match(/../g)?.join(':') ?? ''
  return { publicKey: `${key.type} ${blob.toString('base64')}`, fingerprint }
}

/** The key as text without a passphrase, converted if it is in a form that ssh2 can't read. */
function withoutPassphrase(text: string, passphrase: string | undefined): string | undefined {
  if (parse(text)?.isPrivateKey()) return text
  const encrypted = passphrase ? parse(text, passphrase) : undefined
  try {
    const pem = encrypted?.isPrivateKey() ? encrypted.getPrivatePEM() : text
    return asReadable(createPrivateKey({ key: pem, ...(passphrase && !encrypted ? { passphrase } : {}) }))
  } catch {
    return undefined
  }
}

function asReadable(key: KeyObject): string | undefined {
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

function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
