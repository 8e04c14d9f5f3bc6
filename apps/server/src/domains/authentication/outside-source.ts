import type { MessengerName } from '../notifications/index.ts'

/** Sources besides our own that people come from (docs/rules/users.md#source). */
export type OutsideSource = 'ldap' | 'openid' | 'radius' | 'cas' | 'saml2'

/** Where groups of people are read: at the source of people, or at a messenger that they have bound. */
export type GroupSource = OutsideSource | MessengerName

/** Where people come from: a source, and of several directories or providers which one. */
export interface Origin {
  source: GroupSource
  /** The id of a further directory or provider; null for that of the settings. */
  directory: string | null
}
