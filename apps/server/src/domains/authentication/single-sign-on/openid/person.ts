import type { ReadSettings } from '../../people-sources/sources.ts'
import type { OutsideAccount } from '../outside-account.ts'
import { nameClaim, type Proof } from './redeem.ts'

/**
 * The person as the provider's claims describe them (SALLYPORT_SETTING_AUTH_OPENID_USER_ATTR_MAP).
 */
export function accountOf(
  settings: ReadSettings,
  issuer: string,
  { claims, subject }: Proof,
): Omit<OutsideAccount, 'provider'> {
  const map = settings.get('AUTH_OPENID_USER_ATTR_MAP')
  const text = (claim: unknown) =>
    typeof claim === 'string' && typeof claims[claim] === 'string' ? claims[claim].trim() : ''
  const isVerified = (claim: string) => !(claim in claims) || claims[claim] === true
  // SMS codes go there, so a number of somebody else is no small thing.
  const phone = map.phone === 'phone_number' && !isVerified('phone_number_verified') ? '' : text(map.phone)
  const isEmailProven = claims.email_verified === true || settings.get('AUTH_OPENID_EMAIL_IS_TRUSTED')
  return {
    source: 'openid',
    issuer,
    kind: 'subject',
    subject,
    person: {
      username: text(nameClaim(settings)) || subject,
      name: text(map.name),
      // An address that the provider has not verified may be somebody else's.
      email: isVerified('email_verified') ? text(map.email) : '',
      ...(phone ? { phone } : {}),
    },
    // Where nothing is said of the address, it may be written down, but proves nobody
    // (OpenID Connect Core 1.0 §5.7: an email address is not to be relied upon as an identifier).
    isNameUnproven: nameClaim(settings) === 'email' && !(isVerified('email_verified') && isEmailProven),
    create: true,
    update: settings.get('AUTH_OPENID_ALWAYS_UPDATE_USER'),
  }
}
