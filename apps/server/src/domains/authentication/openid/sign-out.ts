import type { FastifyRequest } from 'fastify'
import { buildEndSessionUrl } from 'openid-client'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { LOCAL_LOGIN_PAGE } from '../login-methods.ts'
import { sessionState } from '../session.ts'
import { openidProvider, ownAddress } from './provider.ts'

/**
 * Where the browser of a session that began at the provider goes when it signs out: the provider's own sign-out, or with AUTH_OPENID_SHARE_SESSION off
 * the page for name and password, since the provider would let the person in again at once. Undefined for other sessions. Asked before the session ends.
 */
export async function openidSignOut(kernel: Kernel, request: FastifyRequest): Promise<string | undefined> {
  const { openid_token } = await sessionState(kernel, request)
  if (!openid_token || !request.call.user) return undefined
  const settings = settingsOf(kernel)
  if (!settings.get('AUTH_OPENID') || !settings.get('AUTH_OPENID_SHARE_SESSION')) return LOCAL_LOGIN_PAGE
  try {
    return buildEndSessionUrl(openidProvider(settings).config, {
      id_token_hint: kernel.secrets.open(Buffer.from(openid_token, 'base64')),
      post_logout_redirect_uri: ownAddress(settings, '/core/auth/login/'),
    }).href
  } catch (error) {
    // The session ends here in any case.
    kernel.app.log.warn({ reason: String((error as Error).message) }, 'the sign-out at the OpenID provider has no address')
    return LOCAL_LOGIN_PAGE
  }
}
