import type { ReadSettings } from '../../people-sources/sources.ts'
import type { OutsideAccount } from '../outside-account.ts'
import type { CasProof } from './cas-server.ts'

/**
 * The person as the CAS server describes them. Its attributes are renamed to ours where the
 * settings say so (CAS_RENAME_ATTRIBUTES).
 */
export function accountOf(
  settings: ReadSettings,
  { issuer, user, attributes }: CasProof,
): Omit<OutsideAccount, 'provider'> {
  const isApplied = settings.get('CAS_APPLY_ATTRIBUTES_TO_USER')
  const theirs = Object.entries(settings.get('CAS_RENAME_ATTRIBUTES'))
  const value = (ours: string) => {
    if (!isApplied) return ''
    const named = theirs.flatMap(([their, our]) => (our === ours ? (attributes[their] ?? []) : []))
    return named[0] ?? attributes[ours] ?? ''
  }
  const [phone, comment] = [value('phone'), value('comment')]
  return {
    source: 'cas',
    issuer,
    kind: 'subject',
    subject: user,
    person: {
      // A server that releases no attributes still tells the user name.
      username: attributes[settings.get('CAS_USERNAME_ATTRIBUTE')] || user,
      name: value('name'),
      email: value('email'),
      ...(phone ? { phone } : {}),
      ...(comment ? { comment } : {}),
    },
    create: settings.get('CAS_CREATE_USER'),
    update: isApplied,
  }
}
