import { buildEndSessionUrl } from 'openid-client'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { sealedBytes } from '../../../../kernel/secrets/sealed-json.ts'
import type { OutsideSession } from '../../tables.ts'
import { openidProvider, ownAddress } from './provider.ts'
import { openidSources } from './sources.ts'

/**
 * The provider's sign-out page for a session that began there; undefined where sessions are not
 * shared (AUTH_OPENID_SHARE_SESSION), or the provider has no such page.
 */
export async function openidSignOut(kernel: Kernel, { hint, provider }: OutsideSession): Promise<string | undefined> {
  if (!hint) return undefined
  const source = await openidSources.inForce(kernel, provider ?? null)
  if (!source?.settings.get('AUTH_OPENID_SHARE_SESSION')) return undefined
  const { id, settings } = source
  if (id !== null && !settings.get('AUTH_OPENID_PROVIDER_END_SESSION_ENDPOINT')) return undefined
  return buildEndSessionUrl(openidProvider(settings, id).config, {
    id_token_hint: kernel.secrets.open('sign_in', 'sign-out at OpenID')(sealedBytes(hint)),
    post_logout_redirect_uri: ownAddress(settings, '/core/auth/login/'),
  }).href
}
