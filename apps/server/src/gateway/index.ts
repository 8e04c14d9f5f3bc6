import type { Kernel } from '../kernel/kernel.ts'
import { type Gateway, openGateway } from './gateway.ts'
import { registerWebTerminal } from './listeners/web-terminal.ts'

/** Opens the gateway of this node with its listeners. Sessions of a killed process are finished first. */
export async function startGateway(kernel: Kernel): Promise<Gateway> {
  const gateway = await openGateway(kernel)
  registerWebTerminal(kernel, gateway)
  return gateway
}
