/** A provider of workload tokens on this machine, by HTTPS: what GitHub, GitLab and clusters publish. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { openAuthority } from '../../../../kernel/tls/authority-fixture.ts'

export interface Issuer {
  url: string
  /** The certificate of its authority. */
  pem: string
  /** How often each path was asked for. */
  asked: Map<string, number>
  /** Another document than its own, or another answer. */
  document: { status?: number; body?: unknown }
  /** Public keys as it publishes them. */
  published: JWK[]
  /** Adds a key and publishes it; answers its private half. */
  rotate(kid: string): Promise<CryptoKey>
  sign(claims: JWTPayload, own?: { kid?: string; key?: CryptoKey; alg?: string }): Promise<string>
  close(): Promise<void>
}

export async function startIssuer(): Promise<Issuer> {
  const authority = openAuthority()
  const pair = authority.issue('issuer', ['127.0.0.1'])
  const asked = new Map<string, number>()
  const document: Issuer['document'] = {}
  const published: JWK[] = []
  const http = createServer(
    { cert: readFileSync(pair.certificate), key: readFileSync(pair.key) },
    ({ url = '' }, answer) => {
      asked.set(url, (asked.get(url) ?? 0) + 1)
      const isDocument = url === '/.well-known/openid-configuration'
      const own = isDocument ? { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` } : { keys: published }
      const body = isDocument ? (document.body ?? own) : own
      answer.writeHead(isDocument ? (document.status ?? 200) : 200, { 'content-type': 'application/json' })
      answer.end(typeof body === 'string' ? body : JSON.stringify(body))
    },
  )
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const privateKeys = new Map<string, CryptoKey>()
  const issuer: Issuer = {
    url: `https://127.0.0.1:${(http.address() as AddressInfo).port}`,
    pem: authority.pem,
    asked,
    document,
    published,
    async rotate(kid) {
      const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
      published.push({ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' })
      privateKeys.set(kid, privateKey)
      return privateKey
    },
    sign(claims, { kid = 'first', key = privateKeys.get(kid), alg = 'RS256' } = {}) {
      if (!key) throw new Error(`there is no key ${kid}`)
      const now = Math.floor(Date.now() / 1000)
      return new SignJWT({ iss: issuer.url, iat: now, nbf: now, exp: now + 300, jti: crypto.randomUUID(), ...claims })
        .setProtectedHeader({ alg, kid, typ: 'JWT' })
        .sign(key)
    },
    async close() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
      authority.close()
    },
  }
  await issuer.rotate('first')
  return issuer
}
