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
import { settingsOf } from '../../../settings/index.ts'
import { OPENID_LOGIN } from '../../login-pages.ts'
import type { OpenidStart } from '../../tables.ts'
import { registerOutsidePages } from '../outside-pages.ts'
import { askProvider } from '../outside-sign-in.ts'
import { accountOf } from './person.ts'
import { openidProvider, ownAddress } from './provider.ts'
import { redeem } from './redeem.ts'

const CALLBACK = '/core/auth/openid/callback/'
const NAME = 'OpenID'

/**
 * Sign-in by OpenID Connect: authorization code flow with PKCE
 * (docs/rules/authentication.md#login_page).
 */
export function registerOpenid(kernel: Kernel): void {
  registerOutsidePages(kernel, {
    key: 'openid',
    name: NAME,
    setting: 'AUTH_OPENID',
    summaries: { login: 'To the OpenID provider, to sign in', callback: 'Back from the OpenID provider' },
    login: OPENID_LOGIN,
    callback: CALLBACK,
    begin: (next) => begin(kernel, next),
    comeBack: (request, started) => comeBack(kernel, request, started),
  })
}

async function begin(kernel: Kernel, next: string): Promise<{ address: string; started: OpenidStart }> {
  const settings = settingsOf(kernel)
  const { config } = openidProvider(settings)
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
    redirect_uri: ownAddress(settings, CALLBACK),
    scope: [...new Set(['openid', ...scopes])].filter(Boolean).join(' '),
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(started.state ? { state: started.state } : {}),
    ...(started.nonce ? { nonce: started.nonce } : {}),
  })
  return { address: href, started }
}

async function comeBack(kernel: Kernel, request: FastifyRequest, started: OpenidStart | undefined) {
  if (!started) return 'runOut'
  const settings = settingsOf(kernel)
  const proven = await askProvider(kernel, NAME, async () => {
    const provider = openidProvider(settings)
    const callback = new URL(ownAddress(settings, CALLBACK))
    callback.search = new URL(request.url, 'http://here.invalid').search
    return { issuer: provider.issuer, proof: await redeem(settings, provider, callback, started) }
  })
  if (typeof proven === 'string') return proven
  const { issuer, proof } = proven
  const hint = sealInJson(kernel.secrets, proof.idToken)
  return { account: accountOf(settings, issuer, proof), session: { hint } }
}
