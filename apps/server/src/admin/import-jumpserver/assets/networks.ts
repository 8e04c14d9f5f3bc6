import { arriveGateways, arriveNetworks } from '../../../domains/assets/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { bring, type ImportContext, ORGANIZATION_GONE } from '../context.ts'
import { loginSecrets } from '../login-secrets.ts'
import { Names } from '../names.ts'
import { bool, date, int, text, textOrNull, uuid } from '../values.ts'

const NO_TIME = new Date(0).toISOString()

export async function importNetworks(context: ImportContext): Promise<void> {
  const { source, version, report, ids } = context
  const notes = report.kind('Domains')
  for await (const batch of source.read({
    table: version.network.table,
    columns: ['org_id', 'name', 'comment', 'date_created'],
  })) {
    notes.read += batch.length
    const rows = batch.flatMap((row) => {
      const id = uuid(row.id)
      const name = text(row.name, 128).trim() || 'Domain'
      const org = ids.organization(row.org_id)
      if (id && !org) notes.staysBehind(name, ORGANIZATION_GONE)
      if (!id || !org) return []
      const values = { org_id: org, name, comment: text(row.comment), date_created: date(row.date_created) ?? NO_TIME }
      return [{ key: id, id, name, values }]
    })
    await bring(context, notes, arriveNetworks, rows, 'network')
  }
}

export const NETWORK_GONE = 'Its domain has not come'

/** Gateways of version 2, which are rows of their own; since version 3 they are assets (gateway-assets.ts). */
export async function importGateways(context: ImportContext): Promise<void> {
  const { source, report, ids } = context
  const notes = report.kind('Gateways')
  const names = new Names(128)
  const columns = [
    ...['org_id', 'name', 'ip', 'port', 'protocol', 'domain_id', 'is_active', 'comment', 'username', 'password'],
    ...['private_key', 'public_key', 'created_by', 'date_created', 'date_updated'],
  ]
  for await (const batch of source.read({ table: 'assets.gateway', columns })) {
    notes.read += batch.length
    const rows = batch.flatMap((row): ArrivingRow[] => {
      const id = uuid(row.id)
      const name = text(row.name, 128).trim() || text(row.ip, 128)
      const org = ids.organization(row.org_id)
      const network = ids.get('network', row.domain_id)
      if (!id) return []
      if (!org || !network) {
        notes.staysBehind(name, org ? NETWORK_GONE : ORGANIZATION_GONE)
        return []
      }
      const { plain, key } = loginSecrets(context, row, name, notes)
      const values = {
        ...{ org_id: org, name: names.free(org, name, id), domain: network, ip: text(row.ip, 128) },
        ...{ port: int(row.port, 1, 65_535, 22), protocol: 'ssh', username: text(row.username, 128) },
        ...{ is_active: bool(row.is_active) && row.protocol === 'ssh', comment: textOrNull(row.comment) },
        ...{ created_by: textOrNull(row.created_by, 128), date_created: date(row.date_created) ?? NO_TIME },
        public_key: key.public_key,
      }
      if (row.protocol !== 'ssh') notes.changes(name, 'Is not reached by SSH: comes switched off')
      return [{ key: id, id, name, values, plain }]
    })
    await bring(context, notes, arriveGateways, rows)
  }
}
