import { applicationType } from '@sallyport/contract/resources/applications/application-types.ts'
import type { Logins } from '../accounts/logins.ts'
import type { ImportContext } from '../context.ts'
import { derivedId } from '../derived-id.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { jsonTexts, text } from '../values.ts'
import { type Nameless, readAccounts, systemUsersOn } from './accounts-words.ts'
import type { Granted } from './granted-of-3.ts'
import type { Strangers } from './strangers.ts'
import { groupTargets, type ReachedTarget, type TargetGroup } from './target-groups.ts'

/** A permission as it comes: one of theirs may be several. */
export interface PlannedPermission {
  id: string
  /** Tells it from the others of the same one, by what it gives: the same in each run. Empty for the first. */
  suffix: string
  family: 'asset' | 'application'
  type: string | null
  nodes: string[]
  targets: string[]
  systemUsers: string[]
}

export interface Planning {
  id: string
  org: string
  name: string
  row: SourceRow
  /** Ids here of what it names. */
  assets: readonly string[]
  nodes: readonly string[]
  granted: Granted
  strangers: Strangers
  logins: Logins
  nameless: Map<string, Nameless>
  notes: KindNotes
}

/**
 * Splits a permission so that everybody reaches the same targets with the same accounts: system users
 * of a permission count on all its targets, while accounts there differ by target.
 */
export function planPermission({ ids }: Pick<ImportContext, 'ids'>, planning: Planning): PlannedPermission[] {
  const { org, granted, nodes, notes, name, logins } = planning
  const choosing = {
    accounts: readAccounts(jsonTexts(planning.row.accounts)),
    protocols: protocolsOf(planning),
    org,
    logins,
  }
  noteWords(planning, choosing.accounts)
  const reached = new Set([...planning.assets, ...nodes.flatMap((node) => granted.below(node))])
  const own = [...reached].filter((target) => ids.organizations.get(target) === org)
  const targets: ReachedTarget[] = []
  for (const id of own) {
    const { systemUsers, nameless } = systemUsersOn(id, choosing)
    for (const one of nameless) planning.nameless.set(one.id, one)
    const protocols = logins.protocolsOf(id)
    const type = ids.has('asset', id) ? null : (protocols[0] ?? '')
    if (systemUsers.length) targets.push({ id, type, protocols, systemUsers })
  }
  const without = own.length - targets.length
  if (without)
    notes.leaves(name, 'Gives nothing on {{count|target|targets}}, which have none of its accounts', { count: without })
  const groups = groupTargets(targets).sort(
    (one, other) => order(one) - order(other) || other.targets.length - one.targets.length,
  )
  const machines = groups.filter(({ type }) => type === null)
  const isAlike = machines.length === 1 && without === 0
  const isWider = nodes.some((node) => planning.strangers.isWider(planning.id, node))
  const isWhole = isAlike && !isWider
  if (nodes.length && isAlike && isWider)
    notes.changes(name, 'Its nodes are replaced by the assets that are in them today: here they have others too')
  if (nodes.length && !(isAlike || !machines.length))
    notes.changes(name, 'Its nodes are replaced by the assets that are in them today: accounts differ among them')
  if (nodes.length && groups.length > machines.length)
    notes.changes(name, 'Its applications are those that are in its nodes today')
  if (groups.length > 1)
    notes.changes(name, 'Comes as {{count}} permissions: accounts differ by asset, or it has applications', {
      count: groups.length,
    })
  return groups.map((group, at) => {
    const keepsNodes = group.type === null && isWhole
    const direct = new Set(planning.assets)
    return {
      id:
        at === 0
          ? planning.id
          : derivedId('permission', planning.id, group.type ?? '', ...group.systemUsers.map((one) => one.id)),
      suffix: at === 0 ? '' : suffixOf(group, logins),
      family: group.type === null ? 'asset' : 'application',
      type: group.type,
      nodes: keepsNodes ? [...nodes] : [],
      targets: keepsNodes ? group.targets.filter((target) => direct.has(target)) : group.targets,
      systemUsers: group.systemUsers.map((one) => one.id),
    }
  })
}

/** Such as ` (mysql app)`. */
function suffixOf({ type, systemUsers }: TargetGroup, logins: Logins): string {
  const usernames = systemUsers.map(({ id, protocol }) => logins.all.get(id)?.username || protocol)
  const words = [...new Set([...(type ? [type] : []), ...usernames.sort()])].join(' ')
  return ` (${[...words].slice(0, 40).join('')})`
}

/** Machines first, so that the permission with the old id is about them. */
const order = ({ type }: { type: string | null }) => (type === null ? 0 : 1)

/** Undefined: every protocol. SFTP is part of SSH here. */
function protocolsOf({ row, name, notes }: Planning): ReadonlySet<string> | undefined {
  // Versions that have no such column give all of them.
  if (row.protocols === undefined) return undefined
  const protocols = jsonTexts(row.protocols)
  if (protocols.includes('all')) return undefined
  if (!protocols.length) notes.leaves(name, 'Names no protocol, or its protocols cannot be read: gives nothing')
  if (protocols.includes('sftp') && !protocols.includes('ssh'))
    notes.leaves(name, 'Gives SFTP without SSH, which there is not here')
  return new Set(protocols)
}

function noteWords({ name, notes, row }: Planning, accounts: ReturnType<typeof readAccounts>): void {
  if (accounts.anonymous) notes.leaves(name, '@ANON gives targets without accounts, which there are not here')
  if (accounts.ofPerson) notes.changes(name, 'Accounts named like the user (@USER): the password is typed at the start')
  if (accounts.without.size)
    notes.changes(name, 'Takes {{names}} away in this permission alone: others may still give it', {
      names: [...accounts.without].map((one) => text(one, 128)).join(', '),
    })
  if (!jsonTexts(row.accounts).length) notes.leaves(name, 'Names no account: gives nothing there')
}

/** Category of an application permission. */
export const categoryOf = (type: string | null): string | null => applicationType(type)?.category ?? null
