import type { Kernel } from '../../../kernel/kernel.ts'
import { schedulePeriodicImport } from './periodic-import.ts'
import { registerLdapTesting } from './testing.ts'
import { registerUserListing } from './user-list.ts'
import { registerLdapUsers } from './users-api.ts'

/**
 * LDAP and Active Directory, apart from signing in: tests of the settings, listing and importing
 * people.
 */
export function registerLdap(kernel: Kernel): void {
  registerLdapTesting(kernel)
  registerLdapUsers(kernel)
  registerUserListing(kernel)
  schedulePeriodicImport(kernel)
}
