import { arriveAssets, endPlaces, placeArrived } from '../../../domains/assets/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { bring, countPairs, ended, type ImportContext, ORGANIZATION_GONE } from '../context.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { bool, date, text, textOrNull, uuid } from '../values.ts'
import { connectivityOf, hardwareOf2, hardwareOf3, machineProtocols, protocolsOf2 } from './asset-values.ts'
import { NETWORK_GONE } from './networks.ts'
import { kindOf, type TheirTargets } from './targets-of-3.ts'

const COLUMNS = [
  ...['org_id', 'platform_id', 'is_active', 'comment', 'created_by', 'date_created', 'connectivity', 'date_verified'],
  ...['hostname', 'ip', 'protocol', 'port', 'protocols', 'public_ip', 'number', 'vendor', 'model', 'sn', 'cpu_model'],
  ...['cpu_count', 'cpu_cores', 'cpu_vcpus', 'memory', 'disk_total', 'disk_info', 'os', 'os_version', 'os_arch'],
  ...['hostname_raw', 'name', 'address', 'gathered_info'],
]
const NO_PROTOCOL = 'Has none of SSH, RDP, Telnet and VNC'
const NO_TIME = new Date(0).toISOString()

/** Machines. `targets`: what the assets of version 3 and 4 are; machines alone come here. */
export async function importAssets(context: ImportContext, targets: TheirTargets | undefined): Promise<void> {
  const { source, version, report } = context
  const notes = report.kind('Assets')
  const columns = [...COLUMNS, version.network.column]
  const came: string[] = []
  for await (const batch of source.read({ table: 'assets.asset', columns })) {
    const machines = targets ? batch.filter((row) => kindOf(targets, row) === 'machine') : batch
    notes.read += machines.length
    const rows = machines.flatMap((row) => assetOf(context, row, targets, notes))
    await bring(context, notes, arriveAssets, rows, 'asset')
    came.push(...rows.map(({ id }) => id))
  }
  await importPlaces(context, came)
}

function assetOf(
  { version, ids }: ImportContext,
  row: SourceRow,
  targets: TheirTargets | undefined,
  notes: KindNotes,
): ArrivingRow[] {
  const id = uuid(row.id)
  if (!id) return []
  const name = text(row.hostname ?? row.name, 128).trim() || id
  const org = ids.organization(row.org_id)
  const address = text(row.ip ?? row.address).trim()
  const protocols = machineProtocols(targets ? (targets.protocols.get(id) ?? []) : protocolsOf2(row))
  if (!org || !protocols.length || !address || address.length > 128) {
    notes.staysBehind(
      name,
      org ? (protocols.length ? 'Has no address of at most 128 characters' : NO_PROTOCOL) : ORGANIZATION_GONE,
    )
    return []
  }
  const theirNetwork = row[version.network.column]
  const network = ids.get('network', theirNetwork)
  if (theirNetwork && !network) notes.changes(name, NETWORK_GONE)
  const platform = ids.get('platform', row.platform_id)
  if (!platform) notes.changes(name, 'Its platform has not come: it is Other')
  const values = {
    ...{ org_id: org, hostname: name, ip: address, platform: platform ?? 'Other', protocols, domain: network ?? null },
    ...{ is_active: bool(row.is_active), comment: text(row.comment), created_by: textOrNull(row.created_by, 128) },
    date_created: date(row.date_created) ?? NO_TIME,
    ...(targets ? hardwareOf3(row) : hardwareOf2(row)),
  }
  const once = { connectivity: connectivityOf(row.connectivity), date_verified: date(row.date_verified) }
  return [{ key: id, id, name, values, once }]
}

async function importPlaces({ source, report, ids, run }: ImportContext, came: readonly string[]): Promise<void> {
  const notes = report.kind('Places of assets in nodes')
  const columns = ['asset_id', 'node_id']
  for await (const batch of source.read({ table: 'assets.asset_nodes', columns })) {
    const pairs = batch.flatMap((row) => {
      const asset = ids.get('asset', row.asset_id)
      const node = ids.get('node', row.node_id)
      return asset && node ? [[asset, node] as const] : []
    })
    notes.read += pairs.length
    countPairs(notes, await placeArrived(run, pairs))
  }
  notes.many(
    await ended({ source }, ['assets.asset_nodes'], () => endPlaces(run, came)),
    'Ended there since the last run: removed here',
    false,
  )
}
