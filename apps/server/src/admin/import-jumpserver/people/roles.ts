import type { OrgRole, SystemRole } from '@sallyport/contract/access.ts'
import type { ImportContext } from '../context.ts'
import { text, uuid } from '../values.ts'

/** Roles that JumpServer brings, by the last digit of their ids. */
const BUILT_IN = '00000000-0000-0000-0000-00000000000'
const SYSTEM_ROLES: Readonly<Record<string, SystemRole>> = { 1: 'Admin', 2: 'Auditor', 3: 'User', 4: 'App' }
const ORG_ROLES: Readonly<Record<string, OrgRole>> = { 5: 'Admin', 6: 'Auditor', 7: 'User' }
/** The one that counts where somebody has several. */
const BY_WEIGHT: readonly SystemRole[] = ['App', 'Admin', 'Auditor', 'User']

export interface TheirRoles {
  /** Roles of the whole installation, by person. */
  system: Map<string, SystemRole>
  /** Organization, person, role; ids as they are there, organizations as texts. */
  members: { org: string; user: string; role: OrgRole }[]
  /** Names of roles that exist there alone, by person. */
  custom: Map<string, string[]>
}

/** Reads roles and memberships from columns (2.19) or bindings (2.20 and later). */
export async function readRoles({ source, version }: Pick<ImportContext, 'source' | 'version'>): Promise<TheirRoles> {
  const roles: TheirRoles = { system: new Map(), members: [], custom: new Map() }
  await (version.hasRoleBindings ? readBindings(source, roles) : readMembers(source, roles))
  return roles
}

async function readMembers(source: ImportContext['source'], { members }: TheirRoles): Promise<void> {
  const columns = ['org_id', 'user_id', 'role']
  for await (const batch of source.read({ table: 'orgs.organization_members', columns }))
    for (const row of batch) {
      const user = uuid(row.user_id)
      const role = /^(?:Admin|Auditor|User)$/.test(row.role ?? '') ? (row.role as OrgRole) : 'User'
      if (user && row.org_id) members.push({ org: row.org_id, user, role })
    }
}

async function readBindings(source: ImportContext['source'], roles: TheirRoles): Promise<void> {
  const names = new Map<string, string>()
  for await (const batch of source.read({ table: 'rbac.role', columns: ['name'] }))
    for (const row of batch) names.set(uuid(row.id) ?? '', text(row.name))
  const columns = ['scope', 'user_id', 'role_id', 'org_id']
  for await (const batch of source.read({ table: 'rbac.rolebinding', columns }))
    for (const row of batch) {
      const user = uuid(row.user_id)
      const role = uuid(row.role_id)
      if (user && role) bind(roles, { user, role, org: row.org_id ?? '', name: names.get(role) ?? role })
    }
}

function bind(
  { system, members, custom }: TheirRoles,
  { user, role, org, name }: { user: string; role: string; org: string; name: string },
): void {
  const number = role.startsWith(BUILT_IN) ? (role.at(-1) ?? '') : ''
  const systemRole = SYSTEM_ROLES[number]
  if (systemRole) {
    const now = system.get(user)
    if (!now || BY_WEIGHT.indexOf(systemRole) < BY_WEIGHT.indexOf(now)) system.set(user, systemRole)
    return
  }
  if (!ORG_ROLES[number]) custom.set(user, [...(custom.get(user) ?? []), name])
  // A role of their own makes a member, without rights to administer.
  if (org) members.push({ org, user, role: ORG_ROLES[number] ?? 'User' })
}
