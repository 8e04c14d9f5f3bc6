import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { arriveMemberships, endArrivedMemberships } from '../../../domains/orgs/arriving/index.ts'
import { countPairs, ended, type ImportContext } from '../context.ts'
import type { TheirRoles } from './roles.ts'

const AT_ONCE = 1000

/** `came`: the people who come from there. */
export async function importMemberships(
  { report, ids, run, source, version }: ImportContext,
  { members }: TheirRoles,
  came: ReadonlySet<string>,
): Promise<void> {
  const notes = report.kind('Members of organizations')
  notes.read += members.length
  const belonging = new Set<string>()
  const found = members.flatMap(({ org, user, role }) => {
    const person = ids.get('person', user)
    const organization = ids.organization(org)
    if (!person || !organization) return []
    belonging.add(person)
    return [[organization, person, role] as const]
  })
  const lost = members.length - found.length
  notes.behind += lost
  notes.many(lost, 'The user or the organization has not come')
  // Nobody is without an organization here.
  const alone = [...came].filter((person) => !belonging.has(person))
  notes.many(alone.length, 'Users without an organization join Default', false)
  const all = [...found, ...alone.map((person) => [DEFAULT_ORG_ID, person, 'User'] as const)]
  for (let at = 0; at < all.length; at += AT_ONCE)
    countPairs(notes, await arriveMemberships(run, all.slice(at, at + AT_ONCE)))
  const tables = [version.hasRoleBindings ? 'rbac.rolebinding' : 'orgs.organization_members']
  notes.many(
    await ended({ source }, tables, () => endArrivedMemberships(run)),
    'Ended there since the last run: removed here',
    false,
  )
}
