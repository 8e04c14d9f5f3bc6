import type { Kernel } from '../kernel/kernel.ts'
import { type Gateway, openGateway } from './gateway.ts'
import { finishLeftovers } from './leftovers.ts'
import { registerWebTerminal } from './listeners/web-terminal.ts'

/** Opens the gateway of this node with its listeners. Sessions of a killed process are finished first. */
export async function startGateway(kernel: Kernel): Promise<Gateway> {
  const leftovers = await finishLeftovers(kernel)
  if (leftovers) kernel.app.log.warn({ leftovers }, 'recordings of a killed process were finished')
  const gateway = await openGateway(kernel)
  registerWebTerminal(kernel, gateway)
  return gateway
}
