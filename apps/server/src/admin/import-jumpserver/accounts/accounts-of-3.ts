import { arriveApplicationAccounts } from '../../../domains/applications/arriving/index.ts'
import { arriveAccounts } from '../../../domains/system-users/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { connectivityOf, machineProtocols } from '../assets/asset-values.ts'
import type { TheirTargets } from '../assets/targets-of-3.ts'
import { bring, type ImportContext } from '../context.ts'
import { derivedId } from '../derived-id.ts'
import { loginSecret, storedKey } from '../login-secrets.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { bool, date, int, text, textOrNull, uuid } from '../values.ts'
import { type Login, Logins } from './logins.ts'
import { importLogins } from './logins-to-system-users.ts'

const NO_TIME = new Date(0).toISOString()
const LABEL = 'Accounts'

/**
 * Accounts of version 3 and 4. There each is a row of its own; here the ones with one name and protocol
 * in an organization are one system user, and each has its secret on its target.
 */
export async function importAccountsOf3(context: ImportContext, targets: TheirTargets): Promise<Logins> {
  const logins = await collectLogins(context, targets)
  await importLogins(context, logins)
  await importSecrets(context, logins)
  const notes = context.report.kind(LABEL)
  notes.many(await context.source.count('accounts.historicalaccount'), 'Earlier secrets of accounts')
  notes.many(await context.source.count('accounts.accounttemplate'), 'Account templates')
  return logins
}

const PLAIN_COLUMNS = ['asset_id', 'username', 'secret_type', 'is_active', 'privileged', 'su_from_id']

async function collectLogins(context: ImportContext, targets: TheirTargets): Promise<Logins> {
  const { source, version, report } = context
  const notes = report.kind(LABEL)
  const logins = new Logins()
  await addTargets(context, targets, logins)
  for await (const batch of source.read({ table: 'accounts.account', columns: [...PLAIN_COLUMNS, version.secret] })) {
    notes.read += batch.length
    for (const row of batch) {
      const account = accountOf(context, row)
      const why = account ? refusal(row, account, logins) : 'Its target has not come'
      const name = text(row.username, 128)
      if (why) notes.staysBehind(name, why)
      if (!account || why) continue
      const isToken = row.secret_type === 'token'
      const token = isToken ? (loginSecret(context, row[version.secret], name, notes) ?? '') : null
      for (const protocol of protocolsFor(row, logins.protocolsOf(account.target)))
        logins.add(account.target, { org: account.org, protocol, username: name, token })
      if (row.su_from_id) notes.leaves(name, 'Is switched to from another account: set it at its system user')
      if (bool(row.privileged))
        notes.many(1, 'Privileged accounts: name the admin user of assets that are to be managed')
    }
  }
  return logins
}

async function addTargets({ source, ids }: ImportContext, targets: TheirTargets, logins: Logins): Promise<void> {
  for await (const batch of source.read({ table: 'assets.asset', columns: ['platform_id'] }))
    for (const row of batch) {
      const asset = ids.get('asset', row.id)
      const application = ids.get('application', row.id)
      const type = targets.platforms.get(row.platform_id ?? '')?.type ?? ''
      const protocols = machineProtocols(targets.protocols.get(uuid(row.id) ?? '') ?? [])
      if (asset)
        logins.addTarget(
          asset,
          protocols.map((one) => one.split('/')[0] ?? ''),
        )
      if (application) logins.addTarget(application, [type])
    }
}

interface Account {
  target: string
  org: string
  isAsset: boolean
}

function accountOf({ ids }: ImportContext, row: SourceRow): Account | undefined {
  const asset = ids.get('asset', row.asset_id)
  const target = asset ?? ids.get('application', row.asset_id)
  const org = ids.organizations.get(target ?? '')
  return target && org ? { target, org, isAsset: asset !== undefined } : undefined
}

const NAMELESS = new Set(['vnc', 'redis', 'k8s'])

function refusal(row: SourceRow, { target }: Account, logins: Logins): string | undefined {
  if (!bool(row.is_active)) return 'Is switched off'
  if (!/^(?:password|ssh_key|token)$/.test(row.secret_type ?? ''))
    return 'Its secret is neither a password, a key nor a token'
  const protocols = protocolsFor(row, logins.protocolsOf(target))
  if (!protocols.length) return 'No protocol of its target takes its secret'
  if (!text(row.username, 128) && !protocols.every((protocol) => NAMELESS.has(protocol)))
    return 'Has no username: people type it and the password, by @INPUT'
  return undefined
}

/** Protocols of a target that such a secret is for. */
function protocolsFor({ secret_type: type }: SourceRow, protocols: readonly string[]): string[] {
  if (type === 'ssh_key') return protocols.filter((protocol) => protocol === 'ssh')
  if (type === 'token') return protocols.filter((protocol) => protocol === 'k8s')
  return protocols.filter((protocol) => protocol !== 'k8s')
}

const COLUMNS = [
  ...[...PLAIN_COLUMNS, 'version', 'comment', 'created_by', 'date_created', 'connectivity', 'date_verified'],
]

/** One row here for each target and system user, with the password and the key that there are two rows of there. */
async function importSecrets(context: ImportContext, logins: Logins): Promise<void> {
  const notes = context.report.kind(LABEL)
  const both = await withBoth(context, logins)
  const waiting = new Map<string, SourceRow>()
  const columns = [...COLUMNS, context.version.secret]
  for await (const batch of context.source.read({ table: 'accounts.account', columns })) {
    const rows = batch.flatMap((row): (ArrivingRow & { isAsset: boolean })[] => {
      const account = accountOf(context, row)
      if (!account || refusal(row, account, logins)) return []
      const pair = `${account.target} ${text(row.username, 128)}`
      const other = waiting.get(pair)
      if (both.has(pair) && !other && row.secret_type !== 'token') {
        waiting.set(pair, row)
        return []
      }
      waiting.delete(pair)
      return rowsOf(context, { account, logins, notes, rows: other ? [other, row] : [row] })
    })
    await store(context, rows)
  }
  // Nothing waits forever: a half whose other half was read before comes by itself.
  const left = [...waiting.values()].flatMap((row) => {
    const account = accountOf(context, row)
    return account ? rowsOf(context, { account, logins, notes, rows: [row] }) : []
  })
  await store(context, left)
}

async function store(context: ImportContext, rows: readonly (ArrivingRow & { isAsset: boolean })[]): Promise<void> {
  const notes = context.report.kind(LABEL)
  const [machines, applications] = [rows.filter(({ isAsset }) => isAsset), rows.filter(({ isAsset }) => !isAsset)]
  await bring(context, notes, arriveAccounts, machines)
  await bring(context, notes, arriveApplicationAccounts, applications)
}

/** Targets and usernames that have both a password and a key. */
async function withBoth(context: ImportContext, logins: Logins): Promise<Set<string>> {
  const seen = new Map<string, string>()
  const both = new Set<string>()
  for await (const batch of context.source.read({ table: 'accounts.account', columns: PLAIN_COLUMNS }))
    for (const row of batch) {
      const account = accountOf(context, row)
      const type = row.secret_type ?? ''
      if (!account || refusal(row, account, logins) || type === 'token') continue
      const pair = `${account.target} ${text(row.username, 128)}`
      const before = seen.get(pair)
      if (before && before !== type) both.add(pair)
      seen.set(pair, type)
    }
  return both
}

interface Merging {
  account: Account
  logins: Logins
  notes: KindNotes
  rows: readonly SourceRow[]
}

function rowsOf(
  context: ImportContext,
  { account, logins, notes, rows }: Merging,
): (ArrivingRow & { isAsset: boolean })[] {
  const main = rows.find(({ secret_type: type }) => type === 'password') ?? (rows[0] as SourceRow)
  const name = text(main.username, 128)
  const secretOf = (type: string) => {
    const row = rows.find((one) => one.secret_type === type)
    return row ? loginSecret(context, row[context.version.secret], name, notes) : null
  }
  const password = secretOf('password')
  const key = storedKey(secretOf('ssh_key'), name, notes)
  const protocols = new Set(rows.flatMap((row) => protocolsFor(row, logins.protocolsOf(account.target))))
  const own = logins.on(account.target).filter((login) => login.username === name && protocols.has(login.protocol))
  return own.map((login: Login) => {
    // Several protocols of a machine: each has a system user, and so an account. It is the same one when
    // a password, which is another row there, comes to a key later.
    const id = derivedId('account', account.target, login.id)
    const withKey = login.protocol === 'ssh' ? key : undefined
    const values = {
      ...{ systemuser: login.id, username: '', version: int(main.version, 1, 1_000_000, 1) },
      ...{ date_created: date(main.date_created) ?? NO_TIME, public_key: withKey?.public_key ?? '' },
      ...(account.isAsset
        ? { asset: account.target, comment: text(main.comment), created_by: textOrNull(main.created_by, 128) }
        : { app: account.target }),
    }
    const plain = { password_sealed: password, private_key_sealed: withKey?.text ?? null }
    const verified = { connectivity: connectivityOf(main.connectivity), date_verified: date(main.date_verified) }
    return {
      key: id,
      id,
      name,
      values,
      plain,
      isAsset: account.isAsset,
      ...(account.isAsset ? { once: verified } : {}),
    }
  })
}
