/**
 * A stand-in of HashiCorp Vault: the calls of its HTTP API that are documented, as its manual has them.
 * It was not compared with the product itself.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openAuthority } from '../../../kernel/tls/authority-fixture.ts'

export const ROOT_TOKEN = 'hvs.root-token-of-the-stand-in'
export const ROLE_ID = '6f1a3c1e-role'
export const SECRET_ID = '7d7f-secret-id'

export interface StandIn {
  url: string
  /** The same by TLS, under a certificate of an authority of its own. */
  tlsUrl: string
  pem: string
  /** By engine and path. */
  secrets: Map<string, Record<string, unknown>>
  /** Calls, as `GET /v1/…`. */
  asked: string[]
  /** Tokens that AppRoles got and nobody gave back. */
  tokens: Set<string>
  /** Signs a key by ssh-keygen, as the engine for SSH does. */
  sign(publicKey: string, principal: string): string
  /** The public key of its authority for machines. */
  sshAuthority: string
  /** Takes the place of every answer. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  close(): Promise<void>
}

export async function startVault(): Promise<StandIn> {
  const authority = openAuthority()
  const pair = authority.issue('vault', ['127.0.0.1'])
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-vault-'))
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'ca')])
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request
    standIn.asked.push(`${method} ${url}`)
    if (standIn.instead) return standIn.instead(request, response)
    const answer = (status: number, body?: unknown) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(body === undefined ? '' : JSON.stringify(body))
    const sent = method === 'POST' ? JSON.parse((await text(request)) || '{}') : {}
    if (url === '/v1/auth/approle/login') {
      if (sent.role_id !== ROLE_ID || sent.secret_id !== SECRET_ID)
        return answer(400, { errors: ['invalid role or secret ID'] })
      const token = `hvs.${Math.random().toString(36).slice(2)}`
      standIn.tokens.add(token)
      return answer(200, { auth: { client_token: token, lease_duration: 1200, renewable: true } })
    }
    const token = String(headers['x-vault-token'])
    if (token !== ROOT_TOKEN && !standIn.tokens.has(token)) return answer(403, { errors: ['permission denied'] })
    if (url === '/v1/auth/token/lookup-self') return answer(200, { data: { id: token, policies: ['root'] } })
    if (url === '/v1/auth/token/revoke-self') {
      standIn.tokens.delete(token)
      return answer(204)
    }
    const [, role] = /^\/v1\/ssh\/sign\/([\w-]+)$/.exec(url) ?? []
    if (role && method === 'POST') {
      if (role !== 'machines') return answer(400, { errors: ['unknown role'] })
      return answer(200, {
        data: { serial_number: '1', signed_key: standIn.sign(sent.public_key, sent.valid_principals) },
      })
    }
    const [, engine, path] = /^\/v1\/(.+?)\/data\/(.+)$/.exec(url) ?? []
    const data = standIn.secrets.get(`${engine}/${decodeURIComponent(path ?? '')}`)
    if (!data) return answer(404, { errors: [] })
    answer(200, { data: { data, metadata: { version: 1, destroyed: false, deletion_time: '' } } })
  }
  const http = createServer(serve)
  const tls = createTlsServer({ cert: readFileSync(pair.certificate), key: readFileSync(pair.key) }, serve)
  for (const server of [http, tls]) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const portOf = (server: typeof http) => (server.address() as AddressInfo).port
  const standIn: StandIn = {
    url: `http://127.0.0.1:${portOf(http)}`,
    tlsUrl: `https://127.0.0.1:${portOf(tls as unknown as typeof http)}`,
    pem: authority.pem,
    secrets: new Map(),
    asked: [],
    tokens: new Set(),
    instead: undefined,
    sshAuthority: readFileSync(join(folder, 'ca.pub'), 'utf8').trim(),
    sign(publicKey, principal) {
      writeFileSync(join(folder, 'key.pub'), `${publicKey}\n`)
      execFileSync('ssh-keygen', [
        '-q',
        '-s',
        join(folder, 'ca'),
        '-I',
        'stand-in',
        '-n',
        principal,
        '-V',
        '+5m',
        join(folder, 'key.pub'),
      ])
      return readFileSync(join(folder, 'key-cert.pub'), 'utf8')
    },
    async close() {
      for (const server of [http, tls]) {
        server.closeAllConnections()
        await new Promise((done) => server.close(done))
      }
      authority.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return standIn
}
