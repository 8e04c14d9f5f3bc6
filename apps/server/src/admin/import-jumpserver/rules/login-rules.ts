import { arriveLoginRules, arriveReviewers, endReviewers } from '../../../domains/acls/arriving/index.ts'
import { isIpGroupEntry } from '../../../domains/acls/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { bring, countPairs, ended, type ImportContext } from '../context.ts'
import { derivedId } from '../derived-id.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { bool, date, int, jsonObject, text, textOrNull, uuid } from '../values.ts'
import { readMeant } from './meant.ts'

const COLUMNS = [
  ...['name', 'priority', 'is_active', 'comment', 'user_id', 'users', 'rules', 'action', 'created_by', 'date_created'],
]
const ACTIONS: Readonly<Record<string, string>> = {
  ...{ reject: 'reject', allow: 'allow', confirm: 'confirm', accept: 'allow', review: 'confirm' },
}
const NO_TIME = new Date(0).toISOString()

/** Rules about signing in; here each is about one person. */
export async function importLoginRules(context: ImportContext): Promise<void> {
  const { source, report, run, ids } = context
  const notes = report.kind('Login ACLs')
  /** Ids here by the id of a rule there. */
  const made = new Map<string, string[]>()
  for await (const batch of source.read({ table: 'acls.loginacl', columns: COLUMNS })) {
    notes.read += batch.length
    const rows = batch.flatMap((row) => rulesOf(context, row, notes))
    for (const { key, rule } of rows) made.set(rule, [...(made.get(rule) ?? []), key])
    await bring(context, notes, arriveLoginRules, rows)
  }
  for await (const batch of source.read({ table: 'acls.loginacl_reviewers', columns: ['loginacl_id', 'user_id'] })) {
    const pairs = batch.flatMap((row) => {
      const person = ids.get('person', row.user_id)
      return person ? (made.get(uuid(row.loginacl_id) ?? '') ?? []).map((rule) => [rule, person] as const) : []
    })
    countPairs(report.kind('Reviewers'), await arriveReviewers(run, 'login', pairs))
  }
  await ended(context, ['acls.loginacl', 'acls.loginacl_reviewers'], () => endReviewers(run, 'login'))
}

type Rule = ArrivingRow & { rule: string }

function rulesOf({ ids }: ImportContext, row: SourceRow, notes: KindNotes): Rule[] {
  const id = uuid(row.id)
  if (!id) return []
  const name = text(row.name, 128) || id
  const action = ACTIONS[row.action ?? '']
  const meant = row.users === undefined ? undefined : readMeant(row.users)
  if (!action || meant?.type === 'attrs') {
    if (action) notes.staysBehind(name, 'Finds its users by attributes, which there is not here')
    else notes.staysBehind(name, 'Has the action {{action}}, which is not known here', { action: text(row.action, 64) })
    return []
  }
  const theirs = meant ? (meant.type === 'ids' ? meant.ids : undefined) : [row.user_id ?? '']
  const people = theirs ? theirs.flatMap((one) => ids.get('person', one) ?? []) : ids.ours('person')
  if (meant && people.length > 1)
    notes.changes(name, 'Comes as {{count}} rules, one for each user', { count: people.length })
  if (!people.length) notes.staysBehind(name, 'Its user has not come')
  const { rules, isWhole } = readRules(row)
  if (!isWhole)
    notes.changes(name, 'Has no times, or addresses that are none: comes switched off, since here it would always hold')
  const values = {
    ...{ name, action, rules, is_active: bool(row.is_active) && isWhole, priority: int(row.priority, 1, 100, 50) },
    ...{ comment: text(row.comment), created_by: textOrNull(row.created_by, 128) },
    date_created: date(row.date_created) ?? NO_TIME,
  }
  return people.map((person) => {
    // In version 3 also the rule of one person: others may come to it.
    const own = meant ? derivedId('login rule', id, person) : id
    return { key: own, id: own, name, rule: id, values: { ...values, user: person } }
  })
}

/** Without times a rule never holds there, and always here. */
function readRules(row: SourceRow) {
  const { ip_group: addresses, time_period: times } = jsonObject(row.rules)
  const listed = Array.isArray(addresses) ? addresses.map(String) : []
  const usable = listed.filter((one) => one === '*' || isIpGroupEntry(one))
  const periods = (Array.isArray(times) ? times : []).flatMap((one: unknown) => {
    const { id, value } = (one ?? {}) as { id?: unknown; value?: unknown }
    const day = Number(id)
    return Number.isInteger(day) && day >= 0 && day <= 6 && typeof value === 'string'
      ? [{ id: day, value: text(value) }]
      : []
  })
  const rules = { ip_group: usable, time_period: periods }
  return {
    rules,
    isWhole: usable.length === listed.length && usable.length > 0 && periods.some(({ value }) => value !== ''),
  }
}
