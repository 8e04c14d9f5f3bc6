import type { Kernel } from '../../../kernel/kernel.ts'
import { schedulePeriodicImport } from './periodic-import.ts'
import { registerLdapTesting } from './testing.ts'
import { registerUserListing } from './user-list.ts'
import { registerLdapUsers } from './users-api.ts'

/**
 * Sign-in by LDAP and Active Directory, beside the sign-in itself: tests of the settings, list and
 * import of people.
 */
export function registerLdap(kernel: Kernel): void {
  registerLdapTesting(kernel)
  registerLdapUsers(kernel)
  registerUserListing(kernel)
  schedulePeriodicImport(kernel)
}
