import type { SettingsStore } from '../../../settings/index.ts'
import type { OutsideAccount } from '../outside-account.ts'
import { nameClaim, type Proof } from './redeem.ts'

/**
 * The person as the provider's claims describe them (SALLYPORT_SETTING_AUTH_OPENID_USER_ATTR_MAP).
 */
export function accountOf(settings: SettingsStore, issuer: string, { claims, subject }: Proof): OutsideAccount {
  const map = settings.get('AUTH_OPENID_USER_ATTR_MAP')
  const text = (claim: unknown) =>
    typeof claim === 'string' && typeof claims[claim] === 'string' ? claims[claim].trim() : ''
  const phone = text(map.phone)
  return {
    source: 'openid',
    issuer,
    kind: 'subject',
    subject,
    person: {
      username: text(nameClaim(settings)) || subject,
      name: text(map.name),
      // An address that the provider has not verified may be somebody else's.
      email: 'email_verified' in claims && claims.email_verified !== true ? '' : text(map.email),
      ...(phone ? { phone } : {}),
    },
    create: true,
    update: settings.get('AUTH_OPENID_ALWAYS_UPDATE_USER'),
  }
}
