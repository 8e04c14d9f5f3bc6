import type { FastifyRequest } from 'fastify'
import {
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { sealInJson } from '../../../../kernel/secrets/sealed-json.ts'
import { groupsInClaims, keptGroups } from '../../group-mapping/reported-groups.ts'
import type { OpenidStart } from '../../tables.ts'
import { registerOutsidePages } from '../outside-pages.ts'
import { askProvider } from '../outside-sign-in.ts'
import { registerEndedAtProvider } from './ended-at-provider.ts'
import { keysOfSession } from './logout-token.ts'
import { accountOf } from './person.ts'
import { openidProvider, ownAddress } from './provider.ts'
import { redeem } from './redeem.ts'
import { type OpenidSource, openidSources } from './sources.ts'

const NAME = 'OpenID'

/**
 * Sign-in by OpenID Connect: authorization code flow with PKCE
 * (docs/rules/authentication.md#login_page).
 */
export function registerOpenid(kernel: Kernel): void {
  registerEndedAtProvider(kernel)
  registerOutsidePages(kernel, {
    key: 'openid',
    name: NAME,
    sources: openidSources,
    summaries: [
      { login: 'To the OpenID provider, to sign in', callback: 'Back from the OpenID provider' },
      { login: 'To a further OpenID provider, to sign in', callback: 'Back from a further OpenID provider' },
    ],
    begin: (next, source) => begin(source, next),
    comeBack: (request, started, source) => comeBack(kernel, request, started, source),
  })
}

async function begin(
  { id, settings, pages }: OpenidSource,
  next: string,
): Promise<{ address: string; started: OpenidStart }> {
  const { config } = openidProvider(settings, id)
  const verifier = randomPKCECodeVerifier()
  const useState = settings.get('AUTH_OPENID_USE_STATE')
  const started: OpenidStart = {
    next,
    verifier,
    ...(useState ? { state: randomState() } : {}),
    // State or nonce, at least one, ties the answer to this browser even if the provider ignores
    // PKCE.
    ...(settings.get('AUTH_OPENID_USE_NONCE') || !useState ? { nonce: randomNonce() } : {}),
  }
  const scopes = settings.get('AUTH_OPENID_SCOPES').split(/[\s,]+/)
  const { href } = buildAuthorizationUrl(config, {
    redirect_uri: ownAddress(settings, pages.callback),
    scope: [...new Set(['openid', ...scopes])].filter(Boolean).join(' '),
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(started.state ? { state: started.state } : {}),
    ...(started.nonce ? { nonce: started.nonce } : {}),
  })
  return { address: href, started }
}

async function comeBack(
  kernel: Kernel,
  request: FastifyRequest,
  started: OpenidStart | undefined,
  source: OpenidSource,
) {
  if (!started) return 'runOut'
  const { id, name, settings, pages } = source
  const proven = await askProvider(kernel, name, async () => {
    const provider = openidProvider(settings, id)
    const callback = new URL(ownAddress(settings, pages.callback))
    callback.search = new URL(request.url, 'http://here.invalid').search
    return { provider, proof: await redeem(settings, provider, callback, started) }
  })
  if (typeof proven === 'string') return proven
  const { provider, proof } = proven
  const hint = sealInJson(kernel.secrets, proof.idToken)
  const keys = keysOfSession(provider, proof.subject, proof.claims.sid)
  const account = accountOf(settings, provider.issuer, proof)
  const reported = groupsInClaims(proof.claims, settings.get('AUTH_OPENID_GROUPS_CLAIM'))
  const groups = keptGroups(kernel, 'openid', account.person.username, reported)
  return { account: { ...account, person: { ...account.person, groups } }, session: { hint, keys } }
}
