import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { user as userDefinition } from '@sallyport/contract/resources/users/user.ts'
import { inArray } from 'drizzle-orm'
import { displayName } from '../../../kernel/access/call.ts'
import { ownCall } from '../../../kernel/access/own-call.ts'
import type { FieldChange, Operation } from '../../../kernel/audit/audit.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { linkChangeOf, valueChanges } from '../../../kernel/resource/operate-log/changes.ts'
import { type GivenMembership, roleChange, sourceName } from '../../orgs/index.ts'
import { usersAccount, usersListedGroup } from '../../users/index.ts'
import type { GivenPlace } from '../../users/managed/index.ts'
import type { GroupSource } from '../outside-source.ts'

/** A source is nobody who could be looked up. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

/** What people gained and lost at once. */
export interface Given {
  joined: readonly GivenMembership[]
  left: readonly GivenMembership[]
  added: readonly GivenPlace[]
  removed: readonly GivenPlace[]
  roles: readonly { user: string; before: string; after: string }[]
}

/** What one person gained and lost in one organization. */
interface Part {
  user: string
  org: string
  roles: { added: string[]; removed: string[] }
  groups: { added: string[]; removed: string[] }
}

/**
 * One row of the operate log for each person and organization, and one for a system role, in the name of
 * the source.
 */
export async function logGiven(
  kernel: Kernel,
  db: Database,
  source: GroupSource,
  { joined, left, added, removed, roles }: Given,
): Promise<void> {
  const users = [...new Set([...joined, ...left, ...added, ...removed, ...roles].map(({ user }) => user))]
  if (!users.length) return
  const names = await namesOf(db, users)
  const groups = await groupsOf(db, [...new Set([...added, ...removed].map(({ group }) => group))])
  const parts = new Map<string, Part>()
  const partOf = (org: string, user: string) => {
    const none = { user, org, roles: { added: [], removed: [] }, groups: { added: [], removed: [] } }
    const part = parts.get(`${org} ${user}`) ?? none
    parts.set(`${org} ${user}`, part)
    return part
  }
  for (const { org, user, role } of joined) partOf(org, user).roles.added.push(role)
  for (const { org, user, role } of left) partOf(org, user).roles.removed.push(role)
  for (const { group, user } of added) partOf(groups.get(group)?.org_id ?? '', user).groups.added.push(group)
  for (const { group, user } of removed) partOf(groups.get(group)?.org_id ?? '', user).groups.removed.push(group)
  const operation = (orgId: string, id: string, changes: readonly FieldChange[]): Operation => ({
    action: 'update',
    resourceType: userDefinition.label,
    resource: names.get(id) ?? id,
    orgId,
    object: { type: userDefinition.name, id },
    changes,
  })
  const operations = [
    ...[...parts.values()].map((part) => operation(part.org, part.user, changesOf(part, groups))),
    ...roles.map(({ user, before, after }) =>
      operation(ROOT_ORG_ID, user, valueChanges(userDefinition.fields, { role: before }, { role: after })),
    ),
  ]
  const author = { id: NOBODY, name: sourceName(source), username: source, role: 'User' as const }
  await kernel.audit.record(db, await ownCall(kernel, ROOT_ORG_ID, { user: author }), operations)
}

type Groups = ReadonlyMap<string, { org_id: string; name: string }>

function changesOf({ roles, groups }: Part, named: Groups): FieldChange[] {
  return [
    ...(roles.added.length + roles.removed.length ? [roleChange(roles)] : []),
    ...(groups.added.length + groups.removed.length
      ? [linkChangeOf({ name: 'groups', ...groups }, (id) => named.get(id)?.name ?? id)]
      : []),
  ]
}

async function namesOf(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: usersAccount.id, name: usersAccount.name, username: usersAccount.username })
    .from(usersAccount)
    .where(inArray(usersAccount.id, [...ids]))
  return new Map(rows.map((row) => [row.id, displayName(row)]))
}

async function groupsOf(db: Database, ids: readonly string[]): Promise<Groups> {
  const rows = ids.length
    ? await db
        .select({ id: usersListedGroup.id, org_id: usersListedGroup.org_id, name: usersListedGroup.name })
        .from(usersListedGroup)
        .where(inArray(usersListedGroup.id, [...ids]))
    : []
  return new Map(rows.map((row) => [row.id, row]))
}
