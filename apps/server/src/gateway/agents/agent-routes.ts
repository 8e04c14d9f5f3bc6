/**
 * All calls that tools of agents make, and so all that an agent can reach: none decides on a request,
 * shows a secret or gives a right. The guard refuses every other one (kernel/access/agent-call.ts).
 */
export const AGENT_ROUTES = {
  machines: ['GET', '/api/v1/perms/users/assets/'],
  applications: ['GET', '/api/v1/perms/users/applications/'],
  accountsOfMachine: ['GET', '/api/v1/perms/users/assets/:asset_id/system-users/'],
  accountsOfApplication: ['GET', '/api/v1/perms/users/applications/:application_id/system-users/'],
  explanation: ['GET', '/api/v1/perms/users/explanation/'],
  sessions: ['GET', '/api/v1/terminal/sessions/'],
  commands: ['GET', '/api/v1/terminal/commands/'],
} as const satisfies Readonly<Record<string, readonly [method: 'GET' | 'POST', url: string]>>

export type AgentRoute = keyof typeof AGENT_ROUTES
