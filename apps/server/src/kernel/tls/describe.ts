import { X509Certificate } from 'node:crypto'
import { duplexPair } from 'node:stream'
import { connect, TLSSocket } from 'node:tls'
import { type KeyPair, modernContext } from './key-pair.ts'

/** Facts in a certificate. */
export interface CertificateFacts {
  /** Names and addresses that it is for. */
  names: readonly string[]
  /** SHA-256, in pairs of hexadecimal digits with colons, as browsers show it. */
  fingerprint: string
  notBefore: Date
  notAfter: Date
}

export function factsOf({ certificate }: Pick<KeyPair, 'certificate'>): CertificateFacts {
  const { subjectAltName = '', fingerprint256, validFromDate, validToDate } = new X509Certificate(certificate)
  const names = [...subjectAltName.matchAll(/(?:DNS|IP Address):"?([^,"]+)/g)].map(([, name = '']) => name)
  return { names, fingerprint: fingerprint256, notBefore: validFromDate, notAfter: validToDate }
}

/**
 * Why a client would not trust the certificate, as OpenSSL calls it; undefined where it would: an
 * authority that this server knows has signed it, its chain is whole, and it is valid today. Asked
 * by a handshake within this process, so it is judged as clients judge it.
 */
export function whyNotTrusted(pair: KeyPair): Promise<string | undefined> {
  const [near, far] = duplexPair()
  const server = new TLSSocket(far, { isServer: true, secureContext: modernContext(pair) })
  // Whether it is for the name that somebody typed is not known here.
  const client = connect({ socket: near, rejectUnauthorized: false, checkServerIdentity: () => undefined })
  return new Promise<string | undefined>((resolve) => {
    const failed = (error: Error) => resolve(error.message)
    server.on('error', failed)
    client.on('error', failed)
    client.once('secureConnect', () =>
      resolve(client.authorized ? undefined : String(client.authorizationError ?? 'UNKNOWN')),
    )
  }).finally(() => {
    client.destroy()
    server.destroy()
  })
}
