import type { ImportContext } from '../context.ts'
import type { SourceRow } from '../source/source.ts'
import { int, text, uuid } from '../values.ts'
import type { Protocol } from './asset-values.ts'

/** Kinds of the assets of version 3 and 4: machines, databases, clusters and others have one table in common. */
export interface TheirTargets {
  machines: Set<string>
  /** Names of databases, by asset. */
  databases: Map<string, string>
  /** Category, such as web or gpt, of those that have no counterpart. */
  others: Map<string, string>
  clouds: Set<string>
  protocols: Map<string, Protocol[]>
  platforms: Map<string, { name: string; category: string; type: string }>
  networkColumn: string
}

export type TargetKind = 'machine' | 'gateway' | 'database' | 'cluster' | 'other'

export async function readTargets({
  source,
  version,
}: Pick<ImportContext, 'source' | 'version'>): Promise<TheirTargets> {
  const targets: TheirTargets = {
    ...{ machines: new Set(), databases: new Map(), others: new Map(), clouds: new Set(), protocols: new Map() },
    ...{ platforms: new Map(), networkColumn: version.network.column },
  }
  const children = async (table: string, take: (id: string, row: SourceRow) => void, columns: string[] = []) => {
    for await (const batch of source.read({ table, columns, key: 'asset_ptr_id' }))
      for (const row of batch) take(uuid(row.asset_ptr_id) ?? '', row)
  }
  for (const table of ['assets.host', 'assets.device']) await children(table, (id) => targets.machines.add(id))
  await children('assets.database', (id, row) => targets.databases.set(id, text(row.db_name, 128)), ['db_name'])
  await children('assets.cloud', (id) => targets.clouds.add(id))
  for (const category of ['web', 'gpt', 'custom', 'directoryservice'])
    await children(`assets.${category}`, (id) => targets.others.set(id, category))
  for await (const batch of source.read({ table: 'assets.platform', columns: ['name', 'category', 'type'] }))
    for (const { id, name, category, type } of batch)
      targets.platforms.set(id ?? '', { name: name ?? '', category: category ?? '', type: type ?? '' })
  for await (const batch of source.read({ table: 'assets.protocol', columns: ['name', 'port', 'asset_id'] }))
    for (const row of batch) {
      const asset = uuid(row.asset_id) ?? ''
      const all = targets.protocols.get(asset) ?? []
      all.push({ name: (row.name ?? '').toLowerCase(), port: int(row.port, 0, 65_536, 0) })
      targets.protocols.set(asset, all)
    }
  return targets
}

/** Gateways are machines whose platform is called so, in a network. */
export function kindOf(targets: TheirTargets, row: SourceRow): TargetKind {
  const id = uuid(row.id) ?? ''
  if (targets.databases.has(id)) return 'database'
  if (targets.clouds.has(id)) return targets.platforms.get(row.platform_id ?? '')?.type === 'k8s' ? 'cluster' : 'other'
  if (!targets.machines.has(id)) return 'other'
  const isGateway = targets.platforms.get(row.platform_id ?? '')?.name.startsWith('Gateway') === true
  return isGateway && row[targets.networkColumn] ? 'gateway' : 'machine'
}
