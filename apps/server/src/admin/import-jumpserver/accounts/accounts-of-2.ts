import { arriveApplicationAccounts } from '../../../domains/applications/arriving/index.ts'
import { arriveAdminUsers } from '../../../domains/assets/arriving/index.ts'
import { arriveAccounts } from '../../../domains/system-users/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { connectivityOf } from '../assets/asset-values.ts'
import { bring, type ImportContext } from '../context.ts'
import { loginSecrets } from '../login-secrets.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { date, int, text, textOrNull, uuid } from '../values.ts'

const COLUMNS = [
  ...['name', 'username', 'password', 'private_key', 'systemuser_id', 'version', 'comment', 'created_by'],
  ...['date_created', 'asset_id', 'app_id', 'connectivity', 'date_verified'],
]
const NO_TIME = new Date(0).toISOString()

/** Accounts of version 2: rows of a system user on a target have what the system user has not. */
export async function importAccountsOf2(context: ImportContext): Promise<void> {
  await importRows(context, 'assets.authbook', 'asset')
  await importRows(context, 'applications.account', 'application')
  await importAdminUsers(context)
  await countLeft(context)
}

async function importRows(context: ImportContext, table: string, target: 'asset' | 'application'): Promise<void> {
  const notes = context.report.kind(target === 'asset' ? 'Accounts of assets' : 'Accounts of applications')
  for await (const batch of context.source.read({ table, columns: COLUMNS })) {
    notes.read += batch.length
    const rows = batch.flatMap((row) => accountOf(context, row, target, notes))
    await bring(context, notes, target === 'asset' ? arriveAccounts : arriveApplicationAccounts, rows)
  }
}

function accountOf(
  context: ImportContext,
  row: SourceRow,
  target: 'asset' | 'application',
  notes: KindNotes,
): ArrivingRow[] {
  const { ids } = context
  const id = uuid(row.id)
  if (!id) return []
  const name = text(row.name, 128) || text(row.username, 128) || id
  const targetId = ids.get(target, target === 'asset' ? row.asset_id : row.app_id)
  const systemUser = ids.get('system_user', row.systemuser_id)
  const username = text(row.username, 128)
  const isForeign = systemUser && ids.organizations.get(systemUser) !== ids.organizations.get(targetId ?? '')
  if (!targetId || (row.systemuser_id && !systemUser) || isForeign || !(username || systemUser)) {
    notes.staysBehind(name, 'Its target or its system user has not come')
    return []
  }
  const { plain, key } = loginSecrets(context, row, name, notes)
  const values = {
    ...{ systemuser: systemUser ?? null, username, public_key: key.public_key },
    ...{ version: int(row.version, 1, 1_000_000, 1), date_created: date(row.date_created) ?? NO_TIME },
  }
  if (target === 'application') return [{ key: id, id, name, values: { ...values, app: targetId }, plain }]
  const once = { connectivity: connectivityOf(row.connectivity), date_verified: date(row.date_verified) }
  const more = { asset: targetId, comment: text(row.comment), created_by: textOrNull(row.created_by, 128) }
  return [{ key: id, id, name, values: { ...values, ...more }, plain, once }]
}

/** The system users by which assets are administered. */
async function importAdminUsers({ source, ids, run }: ImportContext): Promise<void> {
  for await (const batch of source.read({ table: 'assets.asset', columns: ['admin_user_id'] })) {
    const rows = batch.flatMap((row) => {
      const asset = ids.get('asset', row.id)
      const admin = ids.get('system_user', row.admin_user_id)
      const isSame = asset && admin && ids.organizations.get(asset) === ids.organizations.get(admin)
      return isSame ? [{ key: asset, id: asset, name: asset, values: { admin_user: admin } }] : []
    })
    await arriveAdminUsers(run, rows)
  }
}

async function countLeft({ source, report }: ImportContext): Promise<void> {
  const notes = report.kind('Accounts of assets')
  notes.many(await source.count('assets.historicalauthbook'), 'Earlier secrets of accounts')
  notes.many(await source.count('assets.gathereduser'), 'Users that were found on machines: to be gathered again')
}
