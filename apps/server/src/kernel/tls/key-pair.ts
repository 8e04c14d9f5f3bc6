import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext, type SecureContext } from 'node:tls'
import { StartRefusal } from '../start-refusal.ts'

/** A certificate with its chain and its key, in PEM. */
export interface KeyPair {
  certificate: string
  key: string
}

/** The settings that name the two files. */
export interface PairSettings {
  certificate: string
  key: string
}

/** No chain of certificates is as large. */
const MOST_BYTES = 1024 * 1024

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g
const KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/

/** Ciphers of TLS 1.2 with forward secrecy that authenticate; TLS 1.3 has no others. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  ...['ECDSA', 'RSA'].flatMap((kind) =>
    ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].map((cipher) => `ECDHE-${kind}-${cipher}`),
  ),
].join(':')

/** For clients of today: TLS 1.2 and 1.3. Throws what OpenSSL says where it takes the pair for none. */
export function modernContext({ certificate, key }: KeyPair): SecureContext {
  return createSecureContext({ cert: certificate, key, minVersion: 'TLSv1.2', ciphers: CIPHERS })
}

/**
 * The pair in two files. Throws StartRefusal in a sentence with the name of the setting and what to
 * do, where it is none that a server can use.
 */
export async function readKeyPair(files: KeyPair, settings: PairSettings): Promise<KeyPair> {
  const [certificate, key] = await Promise.all([
    readText(files.certificate, settings.certificate),
    readText(files.key, settings.key),
  ])
  const pair = { certificate, key }
  const [cert, name] = [`${settings.certificate} (${files.certificate})`, `${settings.key} (${files.key})`]
  const chain = readChain(certificate, cert)
  const own = readKey(key, name)
  if (!chain[0]?.checkPrivateKey(own)) {
    const fits = chain.findIndex((one) => one.checkPrivateKey(own))
    throw new StartRefusal(
      fits > 0
        ? `${cert} must begin with the certificate of the site: put its certificate number ${fits + 1}, which the key belongs to, first`
        : `${name} is not the key of ${cert}: name the one that this certificate was made for`,
    )
  }
  try {
    modernContext(pair)
  } catch (cause) {
    throw new StartRefusal(`${cert} and ${name} cannot be used: ${reasonOf(cause)}. Have a new certificate made`, {
      cause,
    })
  }
  return pair
}

async function readText(path: string, setting: string): Promise<string> {
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch (cause) {
    throw new StartRefusal(
      `${setting} names a file that cannot be read: ${(cause as Error).message}. Let the account that runs Sallyport read it`,
      { cause },
    )
  }
  if (bytes.length > MOST_BYTES)
    throw new StartRefusal(`${setting} (${path}) is too large: it must be a PEM file of less than a megabyte`)
  return bytes.toString('utf8')
}

function readChain(text: string, file: string): X509Certificate[] {
  const blocks = text.match(CERTIFICATES) ?? []
  if (!blocks.length)
    throw new StartRefusal(
      KEY.test(text)
        ? `${file} holds a key and no certificate: are the two files swapped?`
        : `${file} holds no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----: name such a file`,
    )
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch (cause) {
    throw new StartRefusal(`${file} holds a certificate that cannot be read (${reasonOf(cause)}): copy it again`, {
      cause,
    })
  }
}

function readKey(text: string, file: string): KeyObject {
  if (!KEY.test(text))
    throw new StartRefusal(
      /-----BEGIN CERTIFICATE-----/.test(text)
        ? `${file} holds a certificate and no key: are the two files swapped?`
        : `${file} holds no key in PEM, which has a line -----BEGIN PRIVATE KEY-----: name such a file`,
    )
  if (/ENCRYPTED/.test(text))
    throw new StartRefusal(
      `${file} is locked by a passphrase: write it without one by openssl pkey -in <file> -out <new file>, readable by Sallyport alone`,
    )
  try {
    return createPrivateKey(text)
  } catch (cause) {
    throw new StartRefusal(`${file} holds a key that cannot be read (${reasonOf(cause)}): copy it again`, { cause })
  }
}

const reasonOf = (error: unknown) => (error as Error & { reason?: string }).reason ?? (error as Error).message
