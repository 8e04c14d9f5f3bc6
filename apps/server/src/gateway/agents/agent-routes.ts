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
  machinesToAskFor: ['GET', '/api/v1/assets/assets/suggestions/'],
  applicationsToAskFor: ['GET', '/api/v1/applications/applications/suggestions/'],
  accountsToAskFor: ['GET', '/api/v1/assets/system-users/suggestions/'],
  request: ['POST', '/api/v1/tickets/tickets/open/'],
  ticket: ['GET', '/api/v1/tickets/tickets/:id/'],
  beginRun: ['POST', '/api/v1/ops/command-executions/'],
  outcomes: ['GET', '/api/v1/ops/command-executions/:id/outcomes/'],
  runbooks: ['GET', '/api/v1/ops/runbooks/'],
  runRunbook: ['POST', '/api/v1/ops/runbooks/:id/run/'],
  endRun: ['POST', '/api/v1/ops/command-executions/:id/cancel/'],
} as const satisfies Readonly<Record<string, readonly [method: 'GET' | 'POST', url: string]>>

export type AgentRoute = keyof typeof AGENT_ROUTES
