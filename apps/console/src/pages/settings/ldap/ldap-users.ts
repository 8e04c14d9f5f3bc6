import { lazily } from '../../../design/lazily.tsx'

/** The people of a directory: most who come to its settings do not look at them. */
export const LdapUsers = lazily(() => import('./LdapUsers.tsx').then((m) => m.LdapUsers))
