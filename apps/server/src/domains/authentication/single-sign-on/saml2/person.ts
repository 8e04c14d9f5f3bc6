import type { ReadSettings } from '../../people-sources/sources.ts'
import type { OutsideAccount } from '../outside-account.ts'
import { PERSISTENT } from './namespaces.ts'
import type { SamlProof } from './response.ts'

/**
 * The person as the provider's attributes describe them, renamed by SAML2_RENAME_ATTRIBUTES (from
 * theirs to ours). Undefined without a user name, which is all that identifies the person.
 */
export function accountOf(
  settings: ReadSettings,
  { issuer, name, attributes }: SamlProof,
): Omit<OutsideAccount, 'provider'> | undefined {
  const theirs = Object.entries(settings.get('SAML2_RENAME_ATTRIBUTES'))
  const value = (ours: string) => {
    const named = theirs.flatMap(([their, our]) => (our === ours ? (attributes[their] ?? []) : []))
    return (named[0] ?? attributes[ours] ?? '').trim()
  }
  const username = value('username')
  if (!username) return undefined
  const [phone, comment] = [value('phone'), value('comment')]
  return {
    source: 'saml2',
    issuer,
    // Names of other formats may change from sign-in to sign-in; then the user name identifies the
    // person.
    // A persistent name that reads as the user name says no more than that.
    ...(name?.format === PERSISTENT && name.value !== username
      ? { kind: 'subject', subject: name.value }
      : { kind: 'username', subject: username }),
    person: {
      username,
      name: value('name'),
      email: value('email'),
      ...(phone ? { phone } : {}),
      ...(comment ? { comment } : {}),
    },
    create: true,
    update: settings.get('AUTH_SAML2_ALWAYS_UPDATE_USER'),
  }
}
