import { arriveConnectRules, arriveReviewers, endReviewers } from '../../../domains/acls/arriving/index.ts'
import { assetsListedAsset } from '../../../domains/assets/index.ts'
import { everybody } from '../../../domains/users/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { bring, countPairs, ended, type ImportContext, ORGANIZATION_GONE } from '../context.ts'
import { Names } from '../names.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { bool, date, int, jsonObject, text, textOrNull, uuid } from '../values.ts'
import { readAccountNames, readMeant } from './meant.ts'

const COLUMNS = [
  ...['org_id', 'name', 'priority', 'is_active', 'comment', 'users', 'system_users', 'assets', 'accounts', 'rules'],
  ...['action', 'created_by', 'date_created'],
]
const NO_TIME = new Date(0).toISOString()
const ANY = ['*']

/** Rules by which connecting to an asset is reviewed. */
export async function importConnectRules(context: ImportContext): Promise<void> {
  const { source, report, run, ids } = context
  const notes = report.kind('Asset login ACLs')
  const names = new Names(128)
  const known = await namesHere(context)
  const made = new Set<string>()
  for await (const batch of source.read({ table: 'acls.loginassetacl', columns: COLUMNS })) {
    notes.read += batch.length
    const rows = batch.flatMap((row) => ruleOf(context, row, { notes, names, known }))
    for (const { id } of rows) made.add(id)
    await bring(context, notes, arriveConnectRules, rows)
  }
  for await (const batch of source.read({
    table: 'acls.loginassetacl_reviewers',
    columns: ['loginassetacl_id', 'user_id'],
  })) {
    const pairs = batch.flatMap((row) => {
      const rule = uuid(row.loginassetacl_id) ?? ''
      const person = ids.get('person', row.user_id)
      return person && made.has(rule) ? [[rule, person] as const] : []
    })
    countPairs(report.kind('Reviewers'), await arriveReviewers(run, 'connect', pairs))
  }
  await ended(context, ['acls.loginassetacl', 'acls.loginassetacl_reviewers'], () => endReviewers(run, 'connect'))
}

interface Known {
  usernames: Map<string, string>
  hostnames: Map<string, string>
}

async function namesHere({ run, version }: ImportContext): Promise<Known> {
  if (version.model === 2) return { usernames: new Map(), hostnames: new Map() }
  const people = await everybody(run.db)
  const { id, hostname } = assetsListedAsset
  const assets = await run.db.select({ id, hostname }).from(assetsListedAsset)
  return {
    usernames: new Map(people.map((one) => [one.id, one.username])),
    hostnames: new Map(assets.map((one) => [one.id, one.hostname])),
  }
}

interface Reading {
  notes: KindNotes
  names: Names
  known: Known
}

function ruleOf(context: ImportContext, row: SourceRow, { notes, names, known }: Reading): ArrivingRow[] {
  const id = uuid(row.id)
  const name = text(row.name, 128) || (id ?? '')
  const org = context.ids.organization(row.org_id)
  if (id && !org) notes.staysBehind(name, ORGANIZATION_GONE)
  if (!id || !org) return []
  if (!/^(?:login_confirm|review)$/.test(row.action ?? '')) {
    notes.staysBehind(name, 'Has the action {{action}}, which is not known here', { action: text(row.action, 64) })
    return []
  }
  const meant = context.version.model === 2 ? meantOf2(row) : meantOf3(context, row, known)
  if (!meant) {
    notes.staysBehind(name, 'Finds its users or assets by attributes, or names none that has come')
    return []
  }
  const theirAssets = readMeant(row.assets)
  if (
    context.version.model === 3 &&
    theirAssets.type === 'ids' &&
    theirAssets.ids.some((one) => context.ids.get('application', one))
  )
    notes.leaves(name, 'Names databases or clusters: here it holds for its machines alone')
  if (context.version.model === 3 && Object.keys(jsonObject(row.rules)).length)
    notes.changes(name, 'Its addresses and times do not come: it holds from everywhere and always')
  const values = {
    ...{ org_id: org, name: names.free(org, name, id), ...meant, is_active: bool(row.is_active) },
    ...{ priority: int(row.priority, 1, 100, 50), action: 'login_confirm', comment: text(row.comment) },
    ...{ created_by: textOrNull(row.created_by, 128), date_created: date(row.date_created) ?? NO_TIME },
  }
  return [{ key: id, id, name, values }]
}

/** Texts of a list inside JSON; all where there is none. */
function listOf(value: string | null | undefined, field: string): string[] {
  const list = jsonObject(value)[field]
  const texts = Array.isArray(list) ? list.map((one) => text(String(one), 128)).filter(Boolean) : []
  return texts.length ? texts : ANY
}

const meantOf2 = (row: SourceRow) => ({
  users: { username_group: listOf(row.users, 'username_group') },
  system_users: {
    name_group: listOf(row.system_users, 'name_group'),
    username_group: listOf(row.system_users, 'username_group'),
    protocol_group: listOf(row.system_users, 'protocol_group'),
  },
  assets: { ip_group: listOf(row.assets, 'ip_group'), hostname_group: listOf(row.assets, 'hostname_group') },
})

/** The same by names; undefined where it cannot be said so. */
function meantOf3({ ids }: ImportContext, row: SourceRow, { usernames, hostnames }: Known) {
  const users = readMeant(row.users)
  const assets = readMeant(row.assets)
  if (users.type === 'attrs' || assets.type === 'attrs') return undefined
  const people =
    users.type === 'all' ? ANY : users.ids.flatMap((one) => usernames.get(ids.get('person', one) ?? '') ?? [])
  const machines =
    assets.type === 'all' ? ANY : assets.ids.flatMap((one) => hostnames.get(ids.get('asset', one) ?? '') ?? [])
  if (!people.length || !machines.length) return undefined
  return {
    users: { username_group: people },
    system_users: { name_group: ANY, username_group: readAccountNames(row.accounts) ?? ANY, protocol_group: ANY },
    assets: { ip_group: ANY, hostname_group: machines },
  }
}
