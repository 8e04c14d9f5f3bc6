import {
  arrivePermissions,
  endGranted,
  GRANTED_PARTS,
  type GrantedPart,
  grantArrived,
} from '../../../domains/perms/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import type { Logins } from '../accounts/logins.ts'
import { importNamelessUsers } from '../accounts/logins-to-system-users.ts'
import { bring, countPairs, ended, type ImportContext, ORGANIZATION_GONE, type Referred } from '../context.ts'
import { Names } from '../names.ts'
import type { SourceRow } from '../source/source.ts'
import { text, uuid } from '../values.ts'
import type { Nameless } from './accounts-words.ts'
import { readGranted } from './granted-of-3.ts'
import { PERMISSION_COLUMNS, permissionValues } from './permission-values.ts'
import { categoryOf, type PlannedPermission, planPermission } from './plan-of-3.ts'
import { readStrangers } from './strangers.ts'

const AT_ONCE = 1000

/**
 * Permissions of version 3 and 4, in which accounts are names. Answers the system users without a name
 * that they need.
 */
export async function importPermissionsOf3(context: ImportContext, logins: Logins): Promise<Nameless[]> {
  const { source, report, ids, run } = context
  const notes = report.kind('Permissions')
  const named = await readNamed(context)
  const granted = await readGranted(context)
  const strangers = await readStrangers(context)
  const names = new Names(128)
  const nameless = new Map<string, Nameless>()
  const rows: ArrivingRow[] = []
  const pairs = new Map<GrantedPart, (readonly [string, string])[]>(GRANTED_PARTS.map((part) => [part, []]))
  const add = (part: GrantedPart, permission: string, all: readonly string[]) =>
    pairs.get(part)?.push(...all.map((one) => [permission, one] as const))
  for await (const batch of source.read({
    table: 'perms.assetpermission',
    columns: [...PERMISSION_COLUMNS, 'accounts', 'protocols'],
  })) {
    notes.read += batch.length
    for (const row of batch) {
      const id = uuid(row.id)
      const name = text(row.name, 120) || (id ?? '')
      const org = ids.organization(row.org_id)
      if (id && !org) notes.staysBehind(name, ORGANIZATION_GONE)
      if (!id || !org) continue
      const of = (part: string) => named.get(part)?.get(id) ?? []
      const planned = planPermission(context, {
        ...{
          id,
          org,
          name,
          row,
          assets: of('assets'),
          nodes: of('nodes'),
          granted,
          strangers,
          logins,
          nameless,
          notes,
        },
      })
      if (!planned.length) notes.staysBehind(name, 'Gives nothing that has come')
      for (const one of planned) {
        rows.push(
          rowOf(row, one, {
            org,
            name: names.free(
              `${org} ${one.family}`,
              `${[...name].slice(0, 128 - one.suffix.length).join('')}${one.suffix}`,
              one.id,
            ),
            notes,
          }),
        )
        add('user', one.id, of('users'))
        add('group', one.id, of('user_groups'))
        add('system_user', one.id, one.systemUsers)
        add('node', one.id, one.nodes)
        add(one.family, one.id, one.targets)
      }
    }
  }
  await importNamelessUsers(context, [...nameless.values()])
  for (let at = 0; at < rows.length; at += AT_ONCE)
    await bring(context, notes, arrivePermissions, rows.slice(at, at + AT_ONCE), 'permission')
  const parts = report.kind('Parts of permissions')
  for (const [part, all] of pairs) {
    const stored = all.filter(([permission]) => ids.has('permission', permission))
    parts.read += stored.length
    for (let at = 0; at < stored.length; at += AT_ONCE)
      countPairs(parts, await grantArrived(run, part, stored.slice(at, at + AT_ONCE)))
    parts.many(
      await ended(context, READ, () => endGranted(run, part)),
      'Ended there since the last run: removed here',
      false,
    )
  }
  return [...nameless.values()]
}

interface Naming {
  org: string
  name: string
  notes: Parameters<typeof permissionValues>[3]
}

function rowOf(row: SourceRow, { id, family, type }: PlannedPermission, { org, name, notes }: Naming): ArrivingRow {
  const values = { ...permissionValues(row, org, name, notes), family, category: categoryOf(type), type }
  return { key: id, id, name, values }
}

const PARTS: readonly { part: string; column: string; kinds: readonly Referred[] }[] = [
  { part: 'users', column: 'user_id', kinds: ['person'] },
  { part: 'user_groups', column: 'usergroup_id', kinds: ['group'] },
  { part: 'assets', column: 'asset_id', kinds: ['asset', 'application'] },
  { part: 'nodes', column: 'node_id', kinds: ['node'] },
]

/** All from which parts of permissions are made. */
const READ = [
  ...PARTS.map(({ part }) => `perms.assetpermission_${part}`),
  ...['perms.assetpermission', 'assets.asset_nodes', 'accounts.account'],
]

/** What permissions name, by ids here, with the permission's id there. */
async function readNamed({ source, ids }: ImportContext): Promise<Map<string, Map<string, string[]>>> {
  const named = new Map<string, Map<string, string[]>>()
  for (const { part, column, kinds } of PARTS) {
    const byPermission = new Map<string, string[]>()
    const columns = ['assetpermission_id', column]
    for await (const batch of source.read({ table: `perms.assetpermission_${part}`, columns }))
      for (const row of batch) {
        const permission = uuid(row.assetpermission_id)
        const one = kinds.map((kind) => ids.get(kind, row[column])).find((id) => id !== undefined)
        if (!permission || !one) continue
        const all = byPermission.get(permission)
        if (all) all.push(one)
        else byPermission.set(permission, [one])
      }
    named.set(part, byPermission)
  }
  return named
}
