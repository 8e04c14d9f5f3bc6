import { createPrivateKey, type KeyObject } from 'node:crypto'
import { invalid } from '../../errors/app-error.ts'
import { describe, parseKey, type SshKey, storedForm } from './plain-key.ts'
import { DSA, folded, isKeyLine, MAX_KEY_TEXT } from './public-key.ts'
import { type PuttyFault, readPuttyKey } from './putty-key.ts'
import { FieldReader } from './wire.ts'

/** A block of PEM; its body may have headers, which say how it is encrypted (RFC 1421). */
const BLOCK = /-----BEGIN ([A-Z0-9 ]*?)-----([^-]*(?:-(?!----)[^-]*)*)-----END \1-----/g
const PEM_HEADER = /(Proc-Type|DEK-Info): *([\w.,-]+)/g
const MAGIC = 'openssh-key-v1\0'
/** OpenSSH itself takes 16 (24 of late); each is some milliseconds. */
const MAX_ROUNDS = 100

const SEVERAL = 'There is more than one private key here: enter one'
const WRONG = 'The private key or its passphrase is not valid'
const TYPE = 'A key of this type cannot be used here: use one of type ed25519, ECDSA or RSA'
const LOCKED = 'The private key is locked with a passphrase: enter that, too'
const COSTLY_PUTTY =
  'The passphrase of this key takes too long to check. Convert the key with: puttygen FILE -O private-openssh -o NEWFILE'

const PUTTY_FAULTS: Readonly<Record<PuttyFault, string>> = {
  malformed: WRONG,
  wrong: WRONG,
  locked: LOCKED,
  costly: COSTLY_PUTTY,
  dsa: DSA,
  type: TYPE,
}

/**
 * Reads a private key as people paste it: OpenSSH, PKCS#1, SEC1, PKCS#8 or PuTTY, indented, on one
 * line or among other text. Throws 400 at that field, which names what it is instead, and the command
 * that converts it where there is one.
 */
export async function readPrivateKey(text: string, passphrase?: string, at = 'private_key'): Promise<SshKey> {
  const refuse = (reason: string): never => {
    throw invalid({ [at]: reason })
  }
  if (text.length > MAX_KEY_TEXT) return refuse(WRONG)
  const tidy = text.replace(/\\r?\\n|\\n/g, '\n')
  const other = whatElse(tidy)
  if (other) return refuse(other)
  const stored = /PuTTY-User-Key-File-[23]: /.test(tidy) ? await fromPutty(tidy, passphrase) : fromPem(tidy, passphrase)
  const parsed = stored.text === undefined ? undefined : parseKey(stored.text.trim())
  if (!stored.text || !parsed?.isPrivateKey()) return refuse(stored.fault ?? WRONG)
  if (parsed.type === 'ssh-dss') return refuse(DSA)
  return { privateKey: `${stored.text.trim()}\n`, ...describe(parsed) }
}

interface Read {
  text?: string | undefined
  fault?: string
}

async function fromPutty(text: string, passphrase: string | undefined): Promise<Read> {
  const key = await readPuttyKey(text, passphrase)
  return typeof key === 'string' ? { fault: PUTTY_FAULTS[key] } : formOf(key)
}

const formOf = (key: KeyObject): Read => ({
  text: storedForm(key),
  fault: key.asymmetricKeyType === 'dsa' ? DSA : TYPE,
})

function fromPem(text: string, passphrase: string | undefined): Read {
  const [block, ...more] = blocksOf(text).filter(({ label }) => label.endsWith('PRIVATE KEY'))
  if (!block) return { fault: WRONG }
  if (more.length) return { fault: SEVERAL }
  const fault = block.label === 'OPENSSH PRIVATE KEY' ? faultOfOpenSsh(block.body, passphrase) : undefined
  if (fault) return { fault }
  if (parseKey(block.pem)?.isPrivateKey()) return { text: block.pem }
  const isLocked = block.label === 'ENCRYPTED PRIVATE KEY' || /ENCRYPTED/.test(block.headers)
  if (isLocked && !passphrase) return { fault: LOCKED }
  const opened = passphrase ? parseKey(block.pem, passphrase) : undefined
  try {
    const pem = opened?.isPrivateKey() ? opened.getPrivatePEM() : block.pem
    return formOf(createPrivateKey({ key: pem, ...(passphrase && !opened ? { passphrase } : {}) }))
  } catch {
    return { fault: WRONG }
  }
}

interface Block {
  label: string
  /** Lines in front of the body, which say how it is encrypted. */
  headers: string
  body: Buffer
  /** As programs write it: lines of 64 characters from their beginning. */
  pem: string
}

function blocksOf(text: string): Block[] {
  return [...text.matchAll(BLOCK)].map(([, label = '', inside = '']) => {
    const headers = [...inside.matchAll(PEM_HEADER)].map(([, name, value]) => `${name}: ${value}\n`).join('')
    const letters = inside.replace(PEM_HEADER, '').replace(/\s+/g, '')
    const pem = `-----BEGIN ${label}-----\n${headers}${headers && '\n'}${folded(letters)}\n-----END ${label}-----`
    return { label, headers, body: Buffer.from(letters, 'base64'), pem }
  })
}

/** What can be said of such a key (PROTOCOL.key of OpenSSH) before it is opened. */
function faultOfOpenSsh(body: Buffer, passphrase: string | undefined): string | undefined {
  try {
    if (body.subarray(0, MAGIC.length).toString('latin1') !== MAGIC) return WRONG
    const reader = new FieldReader(body.subarray(MAGIC.length))
    const cipher = reader.text()
    reader.text()
    const derivation = new FieldReader(reader.bytes())
    const count = reader.number()
    const type = new FieldReader(reader.bytes()).text()
    if (count !== 1) return SEVERAL
    if (type === 'ssh-dss') return DSA
    if (type.startsWith('sk-')) return SECURITY_KEY
    if (cipher === 'none') return undefined
    if (cipher.startsWith('chacha20-poly1305'))
      return 'This key of OpenSSH is encrypted with chacha20-poly1305, which is not read here. Convert it with: ssh-keygen -p -Z aes256-ctr -f FILE'
    derivation.bytes()
    if (derivation.number() > MAX_ROUNDS)
      return 'The passphrase of this key takes too long to check. Convert the key with: ssh-keygen -p -a 16 -f FILE'
    return passphrase ? undefined : LOCKED
  } catch {
    return WRONG
  }
}

const SECURITY_KEY =
  'This key works with its security key alone (sk-…), which has to be touched: use a key of type ed25519, ECDSA or RSA'

/** The kind of text that was given instead of a readable private key. */
function whatElse(text: string): string | undefined {
  if (/---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----/.test(text))
    return 'This is a key of SSH.com (ssh2), which is not read here. Convert it with: puttygen FILE -O private-openssh -o NEWFILE'
  if (text.includes('PuTTY-User-Key-File-1: '))
    return 'This is a key of an old PuTTY (PPK 1), which is not read here. Convert it with: puttygen FILE -O private-openssh -o NEWFILE'
  if (text.split('PuTTY-User-Key-File-').length > 2) return SEVERAL
  if (/PRIVATE KEY-----|PuTTY-User-Key-File-/.test(text)) return undefined
  if (text.includes('-----BEGIN CERTIFICATE-----'))
    return 'This is a certificate: enter the private key that belongs to it'
  if (isKeyLine(text) || /BEGIN (?:SSH2 |RSA )?PUBLIC KEY/.test(text))
    return 'This is a public key: enter the private one'
  return undefined
}
