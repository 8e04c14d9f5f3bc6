import type { Kernel } from '../../../kernel/kernel.ts'
import { organizationsHold } from '../../orgs/index.ts'
import { assetsDomain, assetsGateway } from '../tables.ts'
import { registerDestinationRoutes } from './destination-routes.ts'
import { registerFirstContact } from './first-contact.ts'
import { registerHostKeyRoutes } from './host-key-routes.ts'
import { registerServerKeyRoutes } from './server-key-routes.ts'

export { mountDestinations } from './destination-routes.ts'
export { checkServerKey, hasServerKey, type ServerKeyScope } from './server-key.ts'
export {
  CERTIFICATE_REFUSED,
  NO_AUTHORITY,
  sshFailureText,
  sshPort,
  throughGateways,
  throughGatewaysPlain,
} from './ssh.ts'
export { confirmedWays, loadAssetPlace, type Place, type TargetGateway, waysTo } from './ways.ts'

/** Networks and their gateways, and which servers are trusted to be those that they say they are. */
export function registerNetworks(kernel: Kernel): void {
  organizationsHold(
    { field: 'domains_amount', label: 'Domain', from: assetsDomain },
    { field: 'gateways_amount', label: 'Gateway', from: assetsGateway },
  )
  registerHostKeyRoutes(kernel)
  registerServerKeyRoutes(kernel)
  registerDestinationRoutes(kernel)
  registerFirstContact(kernel)
}
