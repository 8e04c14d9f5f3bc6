import type { Logins } from '../accounts/logins.ts'
import { type ImportContext, ORGANIZATION_GONE } from '../context.ts'
import { derivedId } from '../derived-id.ts'
import { Names } from '../names.ts'
import type { Nameless } from '../permissions/accounts-words.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { bool, date, int, text, uuid } from '../values.ts'
import { FilterParts } from './filter-parts.ts'
import { readAccountNames, readMeant } from './meant.ts'

const NO_TIME = new Date(0).toISOString()
const ACTIONS: Readonly<Record<string, number>> = { reject: 0, review: 2, accept: 9 }
const COLUMNS = [
  ...['org_id', 'name', 'priority', 'action', 'is_active', 'users', 'assets', 'accounts', 'comment', 'date_created'],
  'created_by',
]

interface Group {
  type: string
  content: string
  ignore_case: boolean
}

/** Command rules of version 3 and 4: each becomes a filter, with a rule for each group of commands. */
export async function importCommandFiltersOf3(
  context: ImportContext,
  logins: Logins,
  nameless: readonly Nameless[],
): Promise<void> {
  const { source, report } = context
  const notes = report.kind('Command filters')
  const parts = new FilterParts()
  const names = new Names(64)
  const groups = await readGroups(context)
  const listed = await readPairs(context, 'command_groups', 'commandgroup_id')
  const reviewers = await readPairs(context, 'reviewers', 'user_id')
  for await (const batch of source.read({ table: 'acls.commandfilteracl', columns: COLUMNS })) {
    notes.read += batch.length
    for (const row of batch) {
      const id = uuid(row.id) ?? ''
      const found = filterOf(context, row, notes, { logins, nameless })
      if (!found) continue
      const { org, name, action, bound } = found
      const values = {
        ...{ org_id: org, name: names.free(org, name, id), is_active: bool(row.is_active), comment: text(row.comment) },
        ...{ created_by: text(row.created_by, 128), date_created: date(row.date_created) ?? NO_TIME },
      }
      parts.filters.push({ key: id, id, name, values })
      for (const [part, all] of bound) parts.bind(part, id, all)
      for (const groupId of listed.get(id) ?? []) {
        const group = groups.get(groupId)
        if (!group?.content) continue
        report.kind('Command filter rules').read++
        const rule = derivedId('command rule', id, groupId)
        const ruleValues = { org_id: org, filter: id, ...group, action, priority: int(row.priority, 1, 100, 50) }
        parts.rules.push({ key: rule, id: rule, name: text(group.content, 60), values: ruleValues })
        const people = (reviewers.get(id) ?? []).flatMap((one) => context.ids.get('person', one) ?? [])
        parts.bind('reviewer', rule, people)
      }
    }
  }
  await parts.store(context, ['acls.commandfilteracl', 'acls.commandgroup', 'acls.commandfilteracl_command_groups'])
}

type Bound = readonly (readonly ['user' | 'asset' | 'application' | 'system_user', readonly string[]])[]

function filterOf(context: ImportContext, row: SourceRow, notes: KindNotes, all: AllLogins) {
  const id = uuid(row.id)
  const name = text(row.name, 64) || (id ?? '')
  const org = context.ids.organization(row.org_id)
  const action = ACTIONS[row.action ?? '']
  if (!id || !org || action === undefined) {
    if (!org) notes.staysBehind(name, ORGANIZATION_GONE)
    else notes.staysBehind(name, 'Has the action {{action}}, which is not known here', { action: text(row.action, 64) })
    return undefined
  }
  const bound = boundOf(context, row, { org, name, isAllowing: action === 9, notes, ...all })
  if (bound?.every(([, all]) => !all.length)) {
    notes.staysBehind(name, 'Finds its users or assets by attributes, or names none that has come')
    return undefined
  }
  return bound && { org, name, action, bound }
}

interface AllLogins {
  logins: Logins
  /** System users under which any name is typed. */
  nameless: readonly Nameless[]
}

interface Binding extends AllLogins {
  org: string
  name: string
  isAllowing: boolean
  notes: KindNotes
}

/**
 * There a rule holds where user, asset and account are all meant; here one binding is enough. With one
 * of them named both say the same. With several, one that forbids is bound to its assets, and so holds
 * for more than there; one that allows stays behind.
 */
function boundOf(
  { ids }: ImportContext,
  row: SourceRow,
  { org, name, isAllowing, notes, logins, nameless }: Binding,
): Bound | undefined {
  const users = readMeant(row.users)
  const assets = readMeant(row.assets)
  const accounts = readAccountNames(row.accounts)
  if (users.type === 'attrs' || assets.type === 'attrs') {
    notes.staysBehind(name, 'Finds its users or assets by attributes, or names none that has come')
    return undefined
  }
  const isOfOrg = (one: string) => ids.organizations.get(one) === org
  const people = users.type === 'ids' ? users.ids.flatMap((one) => ids.get('person', one) ?? []) : undefined
  const machines =
    assets.type === 'ids' ? assets.ids.flatMap((one) => ids.get('asset', one) ?? []).filter(isOfOrg) : undefined
  const apps =
    assets.type === 'ids' ? assets.ids.flatMap((one) => ids.get('application', one) ?? []).filter(isOfOrg) : []
  const named = [...logins.all.values()].filter(
    (one) => one.org === org && (!accounts || accounts.includes(one.username)),
  )
  // The name that is typed may be one of the accounts: what forbids holds there too, what allows does not.
  const typed =
    accounts && isAllowing ? [] : nameless.filter((one) => one.org === org && ids.has('system_user', one.id))
  const systemUsers = [...named, ...typed].map((one) => one.id)
  const constraints = [people, machines, accounts].filter((one) => one !== undefined).length
  if (constraints > 1 && isAllowing) {
    notes.staysBehind(name, 'Allows for users, assets and accounts together, which cannot be said here')
    return undefined
  }
  if (constraints > 1)
    notes.changes(
      name,
      'Holds for users, assets and accounts together there; here for all that are named of one of them',
    )
  if (machines)
    return [
      ['asset', machines],
      ['application', apps],
    ]
  if (people) return [['user', people]]
  if (accounts && typed.length) notes.changes(name, 'Holds for every login whose name is typed, too')
  if (!accounts) notes.changes(name, 'Holds for everybody: here for all system users of today')
  return [['system_user', systemUsers]]
}

async function readGroups({ source }: ImportContext): Promise<Map<string, Group>> {
  const groups = new Map<string, Group>()
  for await (const batch of source.read({ table: 'acls.commandgroup', columns: ['type', 'content', 'ignore_case'] }))
    for (const row of batch)
      groups.set(uuid(row.id) ?? '', {
        ...{ type: row.type === 'regex' ? 'regex' : 'command', content: text(row.content) },
        ignore_case: bool(row.ignore_case),
      })
  return groups
}

async function readPairs({ source }: ImportContext, part: string, column: string): Promise<Map<string, string[]>> {
  const pairs = new Map<string, string[]>()
  const columns = ['commandfilteracl_id', column]
  for await (const batch of source.read({ table: `acls.commandfilteracl_${part}`, columns }))
    for (const row of batch) {
      const rule = uuid(row.commandfilteracl_id) ?? ''
      pairs.set(rule, [...(pairs.get(rule) ?? []), uuid(row[column]) ?? ''])
    }
  return pairs
}
