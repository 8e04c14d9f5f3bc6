import { createPublicKey } from 'node:crypto'
import { invalid } from '../../errors/app-error.ts'
import { md5Of, parseKey } from './plain-key.ts'
import { FieldReader, field } from './wire.ts'

export interface PublicKey {
  /** Type, body and comment on one line, as in `authorized_keys`. */
  text: string
  comment: string
  /** MD5 of the wire form as pairs of hex digits with colons between, as older clients show it. */
  md5: string
}

const TYPE =
  '(?:ssh-(?:rsa|dss|ed25519|ed448)|ecdsa-sha2-nistp\\d+|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256))[\\w.-]*(?:@openssh\\.com)?'
/** A key among other text: its type, and the beginning of its body, which holds that type again. */
const KEY = new RegExp(`(?<![\\w-])(${TYPE})\\s+(AAAA[A-Za-z0-9+/=]*)`, 'g')
/** Several times the longest key of its kind; more is not looked through. */
export const MAX_KEY_TEXT = 64 * 1024
const SSH2_BLOCK = /---- BEGIN SSH2 PUBLIC KEY ----([\s\S]*?)---- END SSH2 PUBLIC KEY ----/g

export const DSA = 'DSA keys are taken by no SSH server any more: use a key of type ed25519 or RSA'

export const isKeyLine = (text: string): boolean => text.search(KEY) >= 0

/**
 * Reads a public key as people paste it: a line of OpenSSH (also one that was wrapped), RFC 4716 or
 * PEM. Throws 400 at that field, which says what it is instead.
 */
export function readPublicKey(text: string, at = 'public_key'): PublicKey {
  const refuse = (reason: string): never => {
    throw invalid({ [at]: reason })
  }
  if (text.length > MAX_KEY_TEXT) return refuse('Not a valid SSH public key')
  if (/PRIVATE KEY-----|PRIVATE KEY ----|PuTTY-User-Key-File-/.test(text))
    return refuse('This is a private key: enter the public one, and keep this one to yourself')
  if (text.includes('-----BEGIN CERTIFICATE-----')) return refuse(CERTIFICATE)
  const found = [...linesOf(text), ...ssh2BlocksOf(text), ...pemOf(text)]
  const [key] = found
  if (!key) return refuse('Not a valid SSH public key')
  if (found.length > 1) return refuse('There is more than one public key here: enter one')
  if (key.before)
    return refuse('Options in front of a public key (such as from= or command=) are not taken: enter the key alone')
  const type = typeOf(key.blob)
  if (type.includes('-cert-v0')) return refuse(CERTIFICATE)
  if (type.startsWith('sk-'))
    return refuse('Keys that live in a security key (sk-…) cannot be used here: use one of type ed25519, ECDSA or RSA')
  if (type === 'ssh-dss') return refuse(DSA)
  const line = `${type} ${key.blob.toString('base64')}`
  const parsed = parseKey(line)
  if (!parsed || parsed.isPrivateKey() || (key.type && key.type !== type)) return refuse('Not a valid SSH public key')
  return { text: key.comment ? `${line} ${key.comment}` : line, comment: key.comment, md5: md5Of(key.blob) }
}

const CERTIFICATE = 'This is a certificate: enter the public key that it was made of'

interface Found {
  type?: string | undefined
  blob: Buffer
  comment: string
  /** The text in front of it on its line. */
  before: string
}

function linesOf(text: string): Found[] {
  const plain = text.replace(/^[ \t]*#.*$/gm, '').trim()
  const keys = [...plain.matchAll(KEY)]
  return keys.map(({ 0: whole, 1: type, 2: body = '', index }, n) => {
    const before = n ? '' : plain.slice(0, index).trim()
    const words = plain
      .slice(index + whole.length, keys[n + 1]?.index)
      .trim()
      .split(/\s+/)
      .filter(Boolean)
    let letters = body
    // A body that was wrapped goes on in the next words, until it is as long as it says.
    while (!isWhole(letters) && /^[A-Za-z0-9+/=]+$/.test(words[0] ?? '')) letters += words.shift()
    return { type, blob: Buffer.from(letters, 'base64'), comment: words.join(' '), before }
  })
}

/** Whether all fields of a key are there. */
function isWhole(letters: string): boolean {
  try {
    const reader = new FieldReader(Buffer.from(letters, 'base64'))
    while (!reader.isAtEnd) reader.bytes()
    return true
  } catch {
    return false
  }
}

/** RFC 4716: headers, of which a long one goes on behind a backslash, then the body. */
function ssh2BlocksOf(text: string): Found[] {
  return [...text.matchAll(SSH2_BLOCK)].map(([, inside = '']) => {
    const lines = inside
      .replace(/\\\r?\n/g, '')
      .split(/\r?\n/)
      .map((line) => line.trim())
    const comment = lines.find((line) => /^comment:/i.test(line)) ?? ''
    const body = lines.filter((line) => !/^[\w-]+:/.test(line)).join('')
    return {
      blob: Buffer.from(body, 'base64'),
      comment: comment
        .replace(/^comment:\s*/i, '')
        .replace(/^"(.*)"$/, '$1')
        .replace(/\s+/g, ' '),
      before: '',
    }
  })
}

function pemOf(text: string): Found[] {
  return [...text.matchAll(/-----BEGIN (RSA )?PUBLIC KEY-----([^-]*)-----END/g)].map(([, rsa = '', body = '']) => {
    const pem = `-----BEGIN ${rsa}PUBLIC KEY-----\n${folded(body.replace(/\s+/g, ''))}\n-----END ${rsa}PUBLIC KEY-----`
    return { blob: blobOfPem(pem), comment: '', before: '' }
  })
}

/** The body of PEM in lines of 64 characters (RFC 7468 §2). */
export const folded = (letters: string): string => (letters.match(/.{1,64}/g) ?? []).join('\n')

/** As SSH writes it (RFC 4253, 5656, 8709); empty for what is no such key. */
function blobOfPem(pem: string): Buffer {
  const parts = (...all: (string | Buffer)[]) => Buffer.concat(all.map((part) => field(Buffer.from(part as Buffer))))
  try {
    const { kty, crv = '', n = '', e = '', x = '', y = '' } = createPublicKey(pem).export({ format: 'jwk' })
    const [big, exponent] = [n, e].map((value) => unsigned(Buffer.from(value, 'base64url')))
    if (kty === 'RSA' && big && exponent) return parts('ssh-rsa', exponent, big)
    const [a, b] = [x, y].map((value) => Buffer.from(value, 'base64url'))
    if (crv === 'Ed25519' && a) return parts('ssh-ed25519', a)
    if (kty !== 'EC' || !a || !b) return Buffer.alloc(0)
    const curve = `nistp${crv.slice(2)}`
    return parts(`ecdsa-sha2-${curve}`, curve, Buffer.concat([Buffer.from([4]), a, b]))
  } catch {
    return Buffer.alloc(0)
  }
}

/** Integers of SSH have a sign: one that begins with a set bit gets a zero in front. */
const unsigned = (bytes: Buffer) => ((bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)

function typeOf(blob: Buffer): string {
  try {
    return new FieldReader(blob).text()
  } catch {
    return ''
  }
}
