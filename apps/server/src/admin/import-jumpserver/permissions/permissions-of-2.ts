import { applicationType } from '@sallyport/contract/resources/applications/application-types.ts'
import {
  arrivePermissions,
  endGranted,
  GRANTED_PARTS,
  type GrantedPart,
  grantArrived,
} from '../../../domains/perms/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { bring, countPairs, ended, type ImportContext, ORGANIZATION_GONE, type Referred } from '../context.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { text, uuid } from '../values.ts'
import { PERMISSION_COLUMNS, permissionValues } from './permission-values.ts'
import { readStrangers } from './strangers.ts'

interface Part {
  part: GrantedPart
  table: string
  column: string
  kind: Referred
}

const ASSET_PARTS: readonly Part[] = [
  { part: 'user', table: 'perms.assetpermission_users', column: 'user_id', kind: 'person' },
  { part: 'group', table: 'perms.assetpermission_user_groups', column: 'usergroup_id', kind: 'group' },
  { part: 'asset', table: 'perms.assetpermission_assets', column: 'asset_id', kind: 'asset' },
  { part: 'node', table: 'perms.assetpermission_nodes', column: 'node_id', kind: 'node' },
  { part: 'system_user', table: 'perms.assetpermission_system_users', column: 'systemuser_id', kind: 'system_user' },
]
const APPLICATION_PARTS: readonly Part[] = [
  { part: 'user', table: 'perms.applicationpermission_users', column: 'user_id', kind: 'person' },
  { part: 'group', table: 'perms.applicationpermission_user_groups', column: 'usergroup_id', kind: 'group' },
  {
    ...{ part: 'application', kind: 'application' },
    ...{ table: 'perms.applicationpermission_applications', column: 'application_id' },
  },
  {
    ...{ part: 'system_user', kind: 'system_user' },
    ...{ table: 'perms.applicationpermission_system_users', column: 'systemuser_id' },
  },
]

/** Permissions of version 2, which are made as ours. */
export async function importPermissionsOf2(context: ImportContext): Promise<void> {
  const assets = context.report.kind('Asset permissions')
  const applications = context.report.kind('Application permissions')
  await importRows(context, 'perms.assetpermission', assets, (row, values) => ({ ...values, ...assetFamily(row) }))
  await importRows(context, 'perms.applicationpermission', applications, applicationFamily)
  await noteWider(context, assets)
  await importParts(context, 'assetpermission_id', ASSET_PARTS)
  await importParts(context, 'applicationpermission_id', APPLICATION_PARTS)
  const notes = context.report.kind('Parts of permissions')
  const tables = [...ASSET_PARTS, ...APPLICATION_PARTS].map(({ table }) => table)
  for (const part of GRANTED_PARTS)
    notes.many(
      await ended(context, tables, () => endGranted(context.run, part)),
      'Ended there since the last run: removed here',
      false,
    )
}

type Values = Record<string, unknown>
const assetFamily = (_row: SourceRow) => ({ family: 'asset', category: null, type: null })

/** Undefined for a type that is not known here. */
function applicationFamily(row: SourceRow, values: Values): Values | undefined {
  const info = applicationType(row.type)
  return info && { ...values, family: 'application', category: info.category, type: row.type }
}

async function importRows(
  context: ImportContext,
  table: string,
  notes: KindNotes,
  familyOf: (row: SourceRow, values: Values) => Values | undefined,
): Promise<void> {
  for await (const batch of context.source.read({ table, columns: [...PERMISSION_COLUMNS, 'category', 'type'] })) {
    notes.read += batch.length
    const rows = batch.flatMap((row): ArrivingRow[] => {
      const id = uuid(row.id)
      if (!id) return []
      const name = text(row.name, 128) || id
      const org = context.ids.organization(row.org_id)
      const values = org && familyOf(row, permissionValues(row, org, name, notes))
      if (values) return [{ key: id, id, name, values }]
      if (org) notes.staysBehind(name, 'Is of the type {{type}}, which is not known here', { type: text(row.type, 30) })
      else notes.staysBehind(name, ORGANIZATION_GONE)
      return []
    })
    await bring(context, notes, arrivePermissions, rows, 'permission')
  }
}

/** Nodes that were here before keep their own assets, which such a permission covers as well. */
async function noteWider(context: ImportContext, notes: KindNotes): Promise<void> {
  const { source, ids } = context
  const strangers = await readStrangers(context)
  const nodes = new Map<string, string[]>()
  const columns = ['assetpermission_id', 'node_id']
  for await (const batch of source.read({ table: 'perms.assetpermission_nodes', columns }))
    for (const row of batch) {
      const permission = ids.get('permission', row.assetpermission_id)
      const node = ids.get('node', row.node_id)
      if (permission && node && strangers.isWider(permission, node))
        nodes.set(permission, [...(nodes.get(permission) ?? []), strangers.pathOf(node)])
    }
  if (!nodes.size) return
  for await (const batch of source.read({ table: 'perms.assetpermission', columns: ['name'] }))
    for (const row of batch)
      for (const node of nodes.get(ids.get('permission', row.id) ?? '') ?? [])
        notes.changes(text(row.name, 128), 'Covers the assets that {{node}} has here beside those from there', { node })
}

async function importParts(
  { source, ids, report, run }: ImportContext,
  owner: string,
  parts: readonly Part[],
): Promise<void> {
  const notes = report.kind('Parts of permissions')
  for (const { part, table, column, kind } of parts)
    for await (const batch of source.read({ table, columns: [owner, column] })) {
      notes.read += batch.length
      const pairs = batch.flatMap((row) => {
        const permission = ids.get('permission', row[owner])
        const granted = ids.get(kind, row[column])
        return permission && granted ? [[permission, granted] as const] : []
      })
      notes.behind += batch.length - pairs.length
      notes.many(batch.length - pairs.length, 'The permission, or what it names, has not come')
      countPairs(notes, await grantArrived(run, part, pairs))
    }
}
