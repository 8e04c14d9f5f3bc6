import type { Kernel } from '../../../kernel/kernel.ts'
import { registerConsent } from './consent-routes.ts'
import { registerMetadata } from './metadata.ts'
import { registerTokenRoutes } from './token-routes.ts'

export { agentChallenge } from './site.ts'

/** People connect programs as their agents, by OAuth 2.1 (docs/agents.md). */
export function registerAgentSignIn(kernel: Kernel): void {
  registerMetadata(kernel)
  registerTokenRoutes(kernel)
  registerConsent(kernel)
}
