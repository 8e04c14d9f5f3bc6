import type { SettingsStore } from '../../../settings/index.ts'
import type { OutsideAccount } from '../outside-account.ts'
import { PERSISTENT } from './namespaces.ts'
import type { SamlProof } from './response.ts'

/**
 * The person as the attributes of the provider describe them, renamed by SAML2_RENAME_ATTRIBUTES
 * (theirs to ours). Undefined without a username: there is nothing else that says who it is.
 */
export function accountOf(
  settings: SettingsStore,
  { issuer, name, attributes }: SamlProof,
): OutsideAccount | undefined {
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
    // Other names may change from sign-in to sign-in; then the username is what somebody is known
    // by.
    subject: name?.format === PERSISTENT ? name.value : username,
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
