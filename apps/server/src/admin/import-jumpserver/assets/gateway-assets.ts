import { arriveGateways } from '../../../domains/assets/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { bring, type ImportContext, ORGANIZATION_GONE } from '../context.ts'
import { loginSecret, storedKey } from '../login-secrets.ts'
import { Names } from '../names.ts'
import type { SourceRow } from '../source/source.ts'
import { bool, date, text, textOrNull, uuid } from '../values.ts'
import { NETWORK_GONE } from './networks.ts'
import { kindOf, type TheirTargets } from './targets-of-3.ts'

const NO_TIME = new Date(0).toISOString()

/** Gateways of version 3 and 4: machines with an account. */
export async function importGatewayAssets(context: ImportContext, targets: TheirTargets): Promise<void> {
  const { source, version, report, ids } = context
  const notes = report.kind('Gateways')
  const names = new Names(128)
  const columns = [
    ...['org_id', 'name', 'address', 'platform_id', 'is_active', 'comment', 'created_by', 'date_created'],
    version.network.column,
  ]
  const gateways: SourceRow[] = []
  for await (const batch of source.read({ table: 'assets.asset', columns }))
    gateways.push(...batch.filter((row) => kindOf(targets, row) === 'gateway'))
  if (!gateways.length) return
  notes.read += gateways.length
  const logins = await readLogins(context, new Set(gateways.map(({ id }) => uuid(id) ?? '')))
  const rows = gateways.flatMap((row): ArrivingRow[] => {
    const id = uuid(row.id) ?? ''
    const name = text(row.name, 128).trim() || id
    const org = ids.organization(row.org_id)
    const network = ids.get('network', row[version.network.column])
    const address = text(row.address).trim()
    const port = targets.protocols.get(id)?.find((one) => one.name === 'ssh')?.port
    if (!org || !network || !address || address.length > 128) {
      notes.staysBehind(name, org ? NETWORK_GONE : ORGANIZATION_GONE)
      return []
    }
    const login = loginOf(context, logins.get(id) ?? [], name)
    if (!port || !login) notes.changes(name, 'Has no SSH or no account there: comes switched off')
    const values = {
      ...{
        org_id: org,
        name: names.free(org, name, id),
        domain: network,
        ip: address,
        port: port || 22,
        protocol: 'ssh',
      },
      ...{ username: login?.username ?? '', is_active: bool(row.is_active) && Boolean(port && login) },
      ...{ comment: textOrNull(row.comment), created_by: textOrNull(row.created_by, 128) },
      ...{ date_created: date(row.date_created) ?? NO_TIME, public_key: login?.public_key ?? '' },
    }
    const plain = { password_sealed: login?.password ?? null, private_key_sealed: login?.private_key ?? null }
    return [{ key: id, id, name, values, plain }]
  })

  function loginOf({ keys }: ImportContext, accounts: SourceRow[], name: string) {
    // The one that JumpServer takes: privileged first, then the newest.
    const [best] = accounts.toSorted(
      (one, other) =>
        Number(bool(other.privileged)) - Number(bool(one.privileged)) ||
        (other.date_updated ?? '').localeCompare(one.date_updated ?? ''),
    )
    if (!best) return undefined
    const secret = loginSecret({ keys }, best[version.secret], name, notes)
    const key = best.secret_type === 'ssh_key' ? storedKey(secret, name, notes) : undefined
    return {
      username: text(best.username, 128),
      password: key ? null : secret,
      private_key: key?.text ?? null,
      public_key: key?.public_key ?? '',
    }
  }
  await bring(context, notes, arriveGateways, rows)
}

async function readLogins(
  { source, version }: ImportContext,
  gateways: ReadonlySet<string>,
): Promise<Map<string, SourceRow[]>> {
  const logins = new Map<string, SourceRow[]>()
  const columns = ['asset_id', 'username', 'secret_type', 'privileged', 'is_active', 'date_updated', version.secret]
  for await (const batch of source.read({ table: 'accounts.account', columns }))
    for (const row of batch) {
      const asset = uuid(row.asset_id) ?? ''
      if (!gateways.has(asset) || !bool(row.is_active) || !/^(?:password|ssh_key)$/.test(row.secret_type ?? ''))
        continue
      logins.set(asset, [...(logins.get(asset) ?? []), row])
    }
  return logins
}
