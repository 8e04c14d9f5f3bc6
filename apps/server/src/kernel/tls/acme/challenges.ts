import { generateKeyPairSync } from 'node:crypto'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import { and, eq, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../database/database.ts'
import type { Validators } from '../web-port.ts'
import { kernelAcmeChallenge, type Proof } from './tables.ts'

const PATH = '/.well-known/acme-challenge/'
/** The protocol by which an authority asks inside TLS (RFC 8737 §4). The list has its length before it. */
const PROTOCOL = 'acme-tls/1'
const NAMED = Buffer.concat([Buffer.of(PROTOCOL.length), Buffer.from(PROTOCOL)])
const HANDSHAKE_MS = 10_000
/** Authorities give up much sooner. */
const KEPT = sql`interval '1 hour'`

/** Has any node answer for this name from now on. */
export async function expectValidator(
  db: Database,
  challenge: { kind: Proof; domain: string; token: string; answer: string },
): Promise<void> {
  await db.delete(kernelAcmeChallenge).where(sql`${kernelAcmeChallenge.date_created} < now() - ${KEPT}`)
  await db.insert(kernelAcmeChallenge).values(challenge).onConflictDoNothing()
}

export async function forgetValidator(db: Database, { token }: { token: string }): Promise<void> {
  await db.delete(kernelAcmeChallenge).where(eq(kernelAcmeChallenge.token, token))
}

/** Answers authorities that look whether a name leads here, whichever node asked them to. */
export function answerValidators(db: Database, log: FastifyBaseLogger): Validators {
  return {
    async answer({ raw }, reply) {
      const path = raw.url?.split('?')[0] ?? ''
      if (!path.startsWith(PATH) || raw.method !== 'GET') return false
      const token = path.slice(PATH.length)
      const [found] = await db
        .select({ answer: kernelAcmeChallenge.answer })
        .from(kernelAcmeChallenge)
        .where(and(eq(kernelAcmeChallenge.kind, 'http-01'), eq(kernelAcmeChallenge.token, token)))
      if (!found) reply.status(404)
      reply.type('text/plain; charset=utf-8').send(found?.answer ?? 'Not found.')
      return true
    },
    receive(socket, hello) {
      if (!hello.includes(NAMED)) return false
      const secure = new TLSSocket(socket, {
        isServer: true,
        ALPNProtocols: [PROTOCOL],
        SNICallback: (domain, done) => {
          proofOf(db, domain).then(
            (context) => done(null, context),
            (error: Error) => done(error),
          )
        },
      })
      const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MS)
      socket.once('close', () => clearTimeout(timer))
      secure.on('error', (error) => {
        log.debug({ err: error }, 'an authority that validates')
        socket.destroy()
      })
      // It has seen the certificate, and wants nothing else.
      secure.once('secure', () => secure.end())
      return true
    },
  }
}

/** A certificate that proves the name (RFC 8737 §3). Throws when nobody is expected to ask for it. */
async function proofOf(db: Database, domain: string): Promise<SecureContext> {
  const [found] = await db
    .select({ answer: kernelAcmeChallenge.answer })
    .from(kernelAcmeChallenge)
    .where(and(eq(kernelAcmeChallenge.kind, 'tls-alpn-01'), eq(kernelAcmeChallenge.domain, domain.toLowerCase())))
    .orderBy(sql`${kernelAcmeChallenge.date_created} DESC`)
    .limit(1)
  if (!found) throw new Error('no proof of this name is expected')
  const { crypto } = await import('acme-client')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const identifier = { type: 'dns', value: domain }
  const [, certificate] = await crypto.createAlpnCertificate({ identifier } as never, found.answer, key)
  return createSecureContext({ cert: certificate, key })
}
