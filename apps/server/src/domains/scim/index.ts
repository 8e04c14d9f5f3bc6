import type { Kernel } from '../../kernel/kernel.ts'
import { organizationsHold } from '../orgs/index.ts'
import { registerProviderToken } from './provider-token.ts'
import { registerScimRoutes } from './routes.ts'
import { scimProvider } from './tables.ts'

/** People and groups that identity providers keep here (docs/design/scim.md). */
export function registerScim(kernel: Kernel): void {
  organizationsHold({ field: 'scim_providers', label: 'SCIM provider', from: scimProvider, uncounted: true })
  registerProviderToken(kernel)
  registerScimRoutes(kernel)
}
