import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { TICKET_TYPES, type TicketType } from '@sallyport/contract/resources/tickets/ticket-types.ts'
import { type ArrivingFlow, arriveFlow } from '../../../domains/tickets/arriving/index.ts'
import { count, type ImportContext, ORGANIZATION_GONE } from '../context.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { date, int, json, text, textOrNull, uuid } from '../values.ts'

/** Levels of approval here. */
export const MOST_LEVELS = 2
const STRATEGIES = /^(?:super_admin|org_admin|super_org_admin|custom_user)$/
const SUPER_ADMIN = '00000000-0000-0000-0000-000000000001'
const ORG_ADMIN = '00000000-0000-0000-0000-000000000005'

type Level = ArrivingFlow['levels'][number]

/** Flows say who decides on tickets of a type. Here an organization has one flow of each type, of at most two levels. */
export async function importFlows(context: ImportContext): Promise<void> {
  const { source, report, run } = context
  const notes = report.kind('Ticket flows')
  const levels = await readLevels(context)
  const columns = ['org_id', 'type', 'approval_level', 'created_by', 'date_created']
  for await (const batch of source.read({ table: 'tickets.ticketflow', columns })) {
    notes.read += batch.length
    for (const row of batch) {
      const flow = flowOf(context, row, levels, notes)
      if (!flow) continue
      const outcome = await arriveFlow(run, flow)
      if (outcome === 'there')
        notes.staysBehind(flow.name, 'The organization has a flow of this type: set its levels here')
      else count(notes, flow.name, outcome)
    }
  }
}

function flowOf(
  { ids }: ImportContext,
  row: SourceRow,
  allLevels: ReadonlyMap<string, Map<number, Level | undefined>>,
  notes: KindNotes,
): ArrivingFlow | undefined {
  const id = uuid(row.id)
  if (!id) return undefined
  const type = text(row.type, 64)
  const isGlobal = !row.org_id || uuid(row.org_id) === ROOT_ORG_ID
  const org_id = isGlobal ? ROOT_ORG_ID : ids.organization(row.org_id)
  const wanted = int(row.approval_level, 1, 10, 1)
  const theirs = allLevels.get(id)
  const levels = Array.from({ length: Math.min(wanted, MOST_LEVELS) }, (_, at) => theirs?.get(at + 1))
  const name = type
  if (!Object.hasOwn(TICKET_TYPES, type)) notes.staysBehind(name, 'Is of a type that there is not here')
  else if (!org_id) notes.staysBehind(name, ORGANIZATION_GONE)
  else if (levels.some((level) => !level))
    notes.staysBehind(name, 'A level is decided by users who have not come, or are found by attributes')
  else {
    if (wanted > MOST_LEVELS) notes.changes(name, 'Has {{count}} levels there: the first two come', { count: wanted })
    const created = new Date(date(row.date_created) ?? 0)
    return {
      ...{ id, name, levels: levels as Level[] },
      values: { org_id, type: type as TicketType, created_by: textOrNull(row.created_by, 128), date_created: created },
    }
  }
  return undefined
}

/** By flow and level; undefined where it cannot be said here. */
async function readLevels(context: ImportContext): Promise<Map<string, Map<number, Level | undefined>>> {
  const { source } = context
  const named = await peopleOf(context)
  const rules = new Map<string, { level: number; is: Level | undefined }>()
  for await (const batch of source.read({ table: 'tickets.approvalrule', columns: ['level', 'strategy', 'users'] }))
    for (const row of batch) {
      const id = uuid(row.id) ?? ''
      rules.set(id, { level: int(row.level, 1, 10, 1), is: levelOf(context, row, named.get(id) ?? []) })
    }
  const flows = new Map<string, Map<number, Level | undefined>>()
  const columns = ['ticketflow_id', 'approvalrule_id']
  for await (const batch of source.read({ table: 'tickets.ticketflow_rules', columns }))
    for (const row of batch) {
      const flow = uuid(row.ticketflow_id) ?? ''
      const rule = rules.get(uuid(row.approvalrule_id) ?? '')
      if (rule) flows.set(flow, (flows.get(flow) ?? new Map()).set(rule.level, rule.is))
    }
  return flows
}

async function peopleOf({ source, ids }: ImportContext): Promise<Map<string, string[]>> {
  const people = new Map<string, string[]>()
  const columns = ['approvalrule_id', 'user_id']
  for await (const batch of source.read({ table: 'tickets.approvalrule_assignees', columns }))
    for (const row of batch) {
      const rule = uuid(row.approvalrule_id) ?? ''
      const person = ids.get('person', row.user_id)
      if (!person) continue
      const others = people.get(rule)
      if (others) others.push(person)
      else people.set(rule, [person])
    }
  return people
}

function levelOf({ ids }: ImportContext, row: SourceRow, named: readonly string[]): Level | undefined {
  if (row.strategy !== undefined) {
    const strategy = row.strategy ?? ''
    if (!STRATEGIES.test(strategy)) return undefined
    if (strategy !== 'custom_user') return { strategy: strategy as Level['strategy'], people: [] }
    return named.length ? { strategy, people: named.toSorted() } : undefined
  }
  // Version 4 finds them by roles, or names them.
  const users = (json(row.users) ?? {}) as { type?: unknown; ids?: unknown; attrs?: unknown }
  if (users.type === 'ids' && Array.isArray(users.ids)) {
    const people = users.ids.flatMap((one) => ids.get('person', String(one)) ?? [])
    return people.length ? { strategy: 'custom_user', people: people.toSorted() } : undefined
  }
  return users.type === 'attrs' ? byRoles(users.attrs) : undefined
}

/** Administrators of the system or of the organization; all attributes must hold there, so only one is understood. */
function byRoles(attrs: unknown): Level | undefined {
  const [attribute, ...others] = Array.isArray(attrs) ? (attrs as { name?: unknown; value?: unknown }[]) : []
  const roles = (Array.isArray(attribute?.value) ? attribute.value : []).map((one) => uuid(String(one)))
  if (others.length || !roles.length) return undefined
  if (attribute?.name === 'system_roles' && roles.every((one) => one === SUPER_ADMIN))
    return { strategy: 'super_admin', people: [] }
  if (attribute?.name === 'org_roles' && roles.every((one) => one === ORG_ADMIN))
    return { strategy: 'org_admin', people: [] }
  return undefined
}
