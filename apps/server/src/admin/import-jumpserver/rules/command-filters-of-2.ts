import type { FilterPart } from '../../../domains/command-filters/arriving/index.ts'
import { type ImportContext, ORGANIZATION_GONE, type Referred } from '../context.ts'
import { Names } from '../names.ts'
import { readGranted } from '../permissions/granted-of-3.ts'
import { bool, date, int, text, uuid } from '../values.ts'
import { FilterParts } from './filter-parts.ts'

const NO_TIME = new Date(0).toISOString()

const BOUND: readonly { part: FilterPart; table: string; column: string; kind: Referred }[] = [
  { part: 'user', table: 'users', column: 'user_id', kind: 'person' },
  { part: 'group', table: 'user_groups', column: 'usergroup_id', kind: 'group' },
  { part: 'asset', table: 'assets', column: 'asset_id', kind: 'asset' },
  { part: 'system_user', table: 'system_users', column: 'systemuser_id', kind: 'system_user' },
  { part: 'application', table: 'applications', column: 'application_id', kind: 'application' },
]

/** Command filters of version 2, which are made as ours. */
export async function importCommandFiltersOf2(context: ImportContext): Promise<void> {
  const parts = new FilterParts()
  await readFilters(context, parts)
  await readRules(context, parts)
  await readBindings(context, parts)
  await parts.store(context, ['assets.commandfilter', 'assets.commandfilterrule', 'assets.commandfilter_system_users'])
}

async function readFilters({ source, report, ids }: ImportContext, { filters }: FilterParts): Promise<void> {
  const notes = report.kind('Command filters')
  const names = new Names(64)
  const columns = ['org_id', 'name', 'is_active', 'comment', 'created_by', 'date_created']
  for await (const batch of source.read({ table: 'assets.commandfilter', columns }))
    for (const row of batch) {
      notes.read++
      const id = uuid(row.id)
      const org = ids.organization(row.org_id)
      const name = text(row.name, 64) || (id ?? '')
      if (id && !org) notes.staysBehind(name, ORGANIZATION_GONE)
      if (!id || !org) continue
      const values = {
        ...{ org_id: org, name: names.free(org, name, id), is_active: bool(row.is_active), comment: text(row.comment) },
        ...{ created_by: text(row.created_by, 128), date_created: date(row.date_created) ?? NO_TIME },
      }
      filters.push({ key: id, id, name, values })
    }
}

async function readRules({ source, report, ids }: ImportContext, parts: FilterParts): Promise<void> {
  const notes = report.kind('Command filter rules')
  const orgs = new Map(parts.filters.map(({ id, values }) => [id, values.org_id]))
  const columns = [
    'filter_id',
    'type',
    'priority',
    'content',
    'ignore_case',
    'action',
    'comment',
    'created_by',
    'date_created',
  ]
  for await (const batch of source.read({ table: 'assets.commandfilterrule', columns }))
    for (const row of batch) {
      notes.read++
      const id = uuid(row.id)
      const filter = uuid(row.filter_id) ?? ''
      const org = orgs.get(filter)
      const name = text(row.content, 60)
      const action = Number(row.action)
      if (!id || !org || !text(row.content) || ![0, 2, 9].includes(action)) {
        notes.staysBehind(name, org ? 'Has no commands or no action that is known here' : 'Its filter has not come')
        continue
      }
      const values = {
        ...{
          org_id: org,
          filter,
          type: row.type === 'regex' ? 'regex' : 'command',
          content: text(row.content),
          action,
        },
        ...{
          ignore_case: row.ignore_case === undefined || bool(row.ignore_case),
          priority: int(row.priority, 1, 100, 50),
        },
        ...{
          comment: text(row.comment),
          created_by: text(row.created_by, 128),
          date_created: date(row.date_created) ?? NO_TIME,
        },
      }
      parts.rules.push({ key: id, id, name, values })
    }
  const known = new Set(parts.rules.map(({ id }) => id))
  const reviewers = { table: 'assets.commandfilterrule_reviewers', columns: ['commandfilterrule_id', 'user_id'] }
  for await (const batch of source.read(reviewers))
    for (const row of batch) {
      const rule = uuid(row.commandfilterrule_id) ?? ''
      const person = ids.get('person', row.user_id)
      if (person && known.has(rule)) parts.bind('reviewer', rule, [person])
    }
}

async function readBindings(context: ImportContext, parts: FilterParts): Promise<void> {
  const { source, report, ids } = context
  const names = new Map(parts.filters.map(({ id, name }) => [id, name]))
  for (const { part, table, column, kind } of BOUND)
    for await (const batch of source.read({
      table: `assets.commandfilter_${table}`,
      columns: ['commandfilter_id', column],
    }))
      for (const row of batch) {
        const filter = uuid(row.commandfilter_id) ?? ''
        const bound = ids.get(kind, row[column])
        if (bound && names.has(filter)) parts.bind(part, filter, [bound])
      }
  const nodes = { table: 'assets.commandfilter_nodes', columns: ['commandfilter_id', 'node_id'] }
  if (!source.has(nodes.table)) return
  const { below } = await readGranted(context)
  const notes = report.kind('Command filters')
  for await (const batch of source.read(nodes))
    for (const row of batch) {
      const filter = uuid(row.commandfilter_id) ?? ''
      const node = ids.get('node', row.node_id)
      if (!node || !names.has(filter)) continue
      notes.changes(names.get(filter) ?? '', 'Its nodes are replaced by the assets that are in them today')
      parts.bind('asset', filter, below(node))
    }
}
