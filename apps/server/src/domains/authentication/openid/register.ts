import type { FastifyReply, FastifyRequest } from 'fastify'
import { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client'
import type { Kernel } from '../../../kernel/kernel.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { settingsOf } from '../../settings/index.ts'
import { OPENID_LOGIN } from '../login-methods.ts'
import { HOME, safeNext } from '../next-address.ts'
import { admit, askProvider, logFault, OUTSIDE_TEXT, refuse, rememberStart, takeStart } from '../outside-sign-in.ts'
import type { OpenidStart } from '../tables.ts'
import { accountOf } from './person.ts'
import { openidProvider, ownAddress } from './provider.ts'
import { redeem } from './redeem.ts'

const CALLBACK = '/core/auth/openid/callback/'
const NAME = 'OpenID'

/** Sign-in by OpenID Connect: authorization code with PKCE (contract/authentication.yaml `login_page`). */
export function registerOpenid(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'GET',
    url: OPENID_LOGIN,
    config: { access: ['anonymous'], summary: 'To the OpenID provider, to sign in' },
    handler: async (request, reply) => {
      const next = safeNext(singleValues(request.query).next)
      if (request.call.user) return reply.redirect(next)
      if (!settingsOf(kernel).get('AUTH_OPENID')) return refuse(kernel, request, reply, OUTSIDE_TEXT.off, { name: NAME })
      try {
        return reply.redirect(await start(kernel, request, reply, next))
      } catch (error) {
        logFault(kernel, NAME, error)
        return refuse(kernel, request, reply, OUTSIDE_TEXT.misconfigured, { name: NAME })
      }
    },
  })
  app.route({
    method: 'GET',
    url: CALLBACK,
    config: { access: ['anonymous'], summary: 'Back from the OpenID provider' },
    handler: async (request, reply) => {
      if (request.call.user) return reply.redirect(HOME)
      if (!settingsOf(kernel).get('AUTH_OPENID')) return refuse(kernel, request, reply, OUTSIDE_TEXT.off, { name: NAME })
      const started = await takeStart(kernel, request, 'openid')
      return started ? finish(kernel, request, reply, started) : refuse(kernel, request, reply, OUTSIDE_TEXT.runOut)
    },
  })
}

/** Remembers what the answer must match, and tells where the provider asks who somebody is. */
async function start(kernel: Kernel, request: FastifyRequest, reply: FastifyReply, next: string): Promise<string> {
  const settings = settingsOf(kernel)
  const { config } = openidProvider(settings)
  const verifier = randomPKCECodeVerifier()
  const useState = settings.get('AUTH_OPENID_USE_STATE')
  const started: OpenidStart = {
    next,
    verifier,
    ...(useState ? { state: randomState() } : {}),
    // One of the two ties the answer to this browser whether or not the provider knows PKCE.
    ...(settings.get('AUTH_OPENID_USE_NONCE') || !useState ? { nonce: randomNonce() } : {}),
  }
  const scopes = settings.get('AUTH_OPENID_SCOPES').split(/[\s,]+/)
  const address = buildAuthorizationUrl(config, {
    redirect_uri: ownAddress(settings, CALLBACK),
    scope: [...new Set(['openid', ...scopes])].filter(Boolean).join(' '),
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(started.state ? { state: started.state } : {}),
    ...(started.nonce ? { nonce: started.nonce } : {}),
  })
  await rememberStart(kernel, request, reply, 'openid', started)
  return address.href
}

async function finish(kernel: Kernel, request: FastifyRequest, reply: FastifyReply, started: OpenidStart): Promise<FastifyReply> {
  const settings = settingsOf(kernel)
  const proven = await askProvider(kernel, NAME, async () => {
    const provider = openidProvider(settings)
    const callback = new URL(ownAddress(settings, CALLBACK))
    callback.search = new URL(request.url, 'http://here.invalid').search
    return { issuer: provider.issuer, proof: await redeem(settings, provider, callback, started) }
  })
  if (typeof proven === 'string') return refuse(kernel, request, reply, OUTSIDE_TEXT[proven])
  const { issuer, proof } = proven
  const hint = kernel.secrets.seal(proof.idToken).toString('base64')
  return admit(kernel, request, reply, accountOf(settings, issuer, proof), { hint }, started.next)
}
