import { buildEndSessionUrl } from 'openid-client'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { sealedBytes } from '../../../../kernel/secrets/sealed-json.ts'
import { settingsOf } from '../../../settings/index.ts'
import type { OutsideSession } from '../../tables.ts'
import { openidProvider, ownAddress } from './provider.ts'

/**
 * The provider's sign-out page for a session that began there; undefined where sessions are not
 * shared (AUTH_OPENID_SHARE_SESSION).
 */
export function openidSignOut(kernel: Kernel, { hint }: OutsideSession): string | undefined {
  const settings = settingsOf(kernel)
  if (!hint || !settings.get('AUTH_OPENID') || !settings.get('AUTH_OPENID_SHARE_SESSION')) return undefined
  return buildEndSessionUrl(openidProvider(settings).config, {
    id_token_hint: kernel.secrets.open('sign_in', 'sign-out at OpenID')(sealedBytes(hint)),
    post_logout_redirect_uri: ownAddress(settings, '/core/auth/login/'),
  }).href
}
