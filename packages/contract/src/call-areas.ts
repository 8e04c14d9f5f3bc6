/**
 * The parts of the API that a service identity may be limited to. An extension: the contract has none.
 */
export const CALL_AREAS = {
  all: 'Everything',
  connect: 'Connections to assets',
  agents: 'Agents (MCP)',
  assets: 'Assets and system users',
  applications: 'Applications',
  accounts: 'Accounts and password rotation',
  users: 'Users, groups and organizations',
  perms: 'Permissions of assets and applications',
  acls: 'Sign-in and access rules',
  terminal: 'Sessions and recordings',
  audits: 'Logs and reviews',
  tickets: 'Tickets',
  ops: 'Tasks and runbooks',
  settings: 'Settings and health',
} as const

export type CallArea = keyof typeof CALL_AREAS

/** The beginnings of addresses, of which the first that fits decides. */
const BEGINNINGS: readonly (readonly [beginning: string, area: CallArea])[] = [
  ['/api/v1/authentication/connection-token/', 'connect'],
  ['/api/v1/authentication/super-connection-token/', 'connect'],
  ['/koko/', 'connect'],
  ['/lion/', 'connect'],
  ['/ws/', 'connect'],
  ['/api/mcp', 'agents'],
  ['/api/v1/authentication/', 'users'],
  ['/api/v1/users/', 'users'],
  ['/api/v1/orgs/', 'users'],
  ['/api/v1/scim/', 'users'],
  ['/api/v1/assets/', 'assets'],
  ['/api/v1/xpack/cloud/', 'assets'],
  ['/api/v1/applications/', 'applications'],
  ['/api/v1/accounts/', 'accounts'],
  ['/api/v1/xpack/change-auth-plan/', 'accounts'],
  ['/api/v1/xpack/gathered-user/', 'accounts'],
  ['/api/v1/perms/', 'perms'],
  ['/api/v1/acls/', 'acls'],
  ['/api/v1/terminal/', 'terminal'],
  ['/api/v1/audits/', 'audits'],
  ['/api/v1/reviews/', 'audits'],
  ['/api/v1/index/', 'audits'],
  ['/api/v1/tickets/', 'tickets'],
  ['/api/v1/ops/', 'ops'],
  ['/api/v1/common/', 'ops'],
  ['/api/v1/settings/', 'settings'],
  ['/api/v1/notifications/', 'settings'],
  ['/api/v1/xpack/', 'settings'],
  ['/api/v1/backups/', 'settings'],
  ['/api/v1/doctor/', 'settings'],
  ['/api/v1/health/', 'settings'],
  ['/api/v1/prometheus/', 'settings'],
  ['/metrics', 'settings'],
]

/** The area of an address; undefined for what only an identity that may do everything reaches. */
export const areaOf = (url: string): CallArea | undefined =>
  BEGINNINGS.find(([beginning]) => url.startsWith(beginning))?.[1]
