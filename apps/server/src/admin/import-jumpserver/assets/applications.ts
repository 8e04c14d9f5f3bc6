import { applicationType } from '@sallyport/contract/resources/applications/application-types.ts'
import { arriveApplications } from '../../../domains/applications/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { bring, type ImportContext, ORGANIZATION_GONE } from '../context.ts'
import { Names } from '../names.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { bool, date, int, jsonObject, secretText, text, textOrNull, uuid } from '../values.ts'
import { NETWORK_GONE } from './networks.ts'
import { kindOf, type TheirTargets } from './targets-of-3.ts'

const NO_TIME = new Date(0).toISOString()
const SWITCHED_OFF = 'Is switched off there, which applications cannot be here'
const UNKNOWN_TYPE = 'Is of the type {{type}}, which is not known here'

/** Applications of version 2, and databases and clusters of 3 and 4. */
export async function importApplications(context: ImportContext, targets: TheirTargets | undefined): Promise<void> {
  const { source, version, report } = context
  const notes = report.kind('Applications')
  const names = new Names(128)
  const columns = [
    ...['org_id', 'name', 'category', 'type', 'attrs', 'domain_id', 'comment', 'created_by', 'date_created'],
    ...['address', 'platform_id', 'is_active', version.network.column],
  ]
  const table = targets ? 'assets.asset' : 'applications.application'
  for await (const batch of source.read({ table, columns })) {
    const all = targets ? batch.filter((row) => !['machine', 'gateway'].includes(kindOf(targets, row))) : batch
    notes.read += all.length
    const rows = all.flatMap((row) => applicationOf(context, row, { targets, names, notes }))
    await bring(context, notes, arriveApplications, rows, 'application')
  }
}

interface Reading {
  targets: TheirTargets | undefined
  names: Names
  notes: KindNotes
}

function applicationOf(context: ImportContext, row: SourceRow, { targets, names, notes }: Reading): ArrivingRow[] {
  const { ids, version } = context
  const id = uuid(row.id)
  if (!id) return []
  const name = text(row.name, 128).trim() || id
  const org = ids.organization(row.org_id)
  const type = targets ? typeOf3(targets, row) : (row.type ?? '')
  const info = applicationType(type)
  if (!org || !info) {
    if (org) notes.staysBehind(name, UNKNOWN_TYPE, { type: text(type, 30) })
    else notes.staysBehind(name, ORGANIZATION_GONE)
    return []
  }
  if (targets && row.is_active !== undefined && !bool(row.is_active)) {
    notes.staysBehind(name, SWITCHED_OFF)
    return []
  }
  const { attrs, plain } = targets ? attrsOf3(targets, row, type) : attrsOf2(context, row, { type, name, org, notes })
  const theirNetwork = row[targets ? version.network.column : 'domain_id']
  const network = ids.get('network', theirNetwork)
  if (theirNetwork && !network) notes.changes(name, NETWORK_GONE)
  const values = {
    ...{ org_id: org, name: names.free(org, name, id), category: info.category, type, attrs, domain: network ?? null },
    ...{ comment: text(row.comment), created_by: textOrNull(row.created_by, 128) },
    date_created: date(row.date_created) ?? NO_TIME,
  }
  return [{ key: id, id, name, values, plain }]
}

/** Attributes that are texts or numbers as they are there; passwords are sealed apart. */
function attrsOf2(
  { ids }: ImportContext,
  row: SourceRow,
  { type, name, org, notes }: { type: string; name: string; org: string; notes: KindNotes },
) {
  const theirs = jsonObject(row.attrs)
  const attrs: Record<string, unknown> = {}
  const plain: Record<string, string> = {}
  const fields = applicationType(type)?.attrs ?? {}
  for (const [field, { type: fieldType }] of Object.entries(fields)) {
    const value = theirs[field]
    if (fieldType === 'object') continue
    if (field === 'asset') {
      const machine = ids.get('asset', String(value ?? '')) ?? ''
      attrs.asset = ids.organizations.get(machine) === org ? machine : ''
      if (!attrs.asset) notes.changes(name, 'The machine that it runs on has not come')
    } else if (fieldType === 'integer') attrs[field] = value ? int(String(value), 1, 65_535, 1) : null
    else if (field.endsWith('_password')) {
      if (value) plain[`attrs.${field}`] = secretText(String(value)).slice(0, 128)
    } else attrs[field] = text(typeof value === 'string' || typeof value === 'number' ? String(value) : '', 1024)
  }
  if (theirs.use_ssl === true) notes.leaves(name, 'Its TLS settings and certificates do not come')
  return { attrs, plain }
}

const typeOf3 = (targets: TheirTargets, row: SourceRow): string =>
  targets.platforms.get(row.platform_id ?? '')?.type || targets.others.get(uuid(row.id) ?? '') || 'other'

function attrsOf3(targets: TheirTargets, row: SourceRow, type: string) {
  const address = text(row.address, 1024)
  const id = uuid(row.id) ?? ''
  if (type === 'k8s') return { attrs: { cluster: address }, plain: {} }
  const port =
    targets.protocols.get(id)?.find(({ name }) => name === type)?.port ?? targets.protocols.get(id)?.[0]?.port
  const attrs = {
    host: address,
    port: port || (applicationType(type)?.port ?? null),
    database: targets.databases.get(id) ?? '',
  }
  return { attrs, plain: {} }
}
