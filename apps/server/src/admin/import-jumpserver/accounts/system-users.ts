import { PROTOCOL_CHOICES } from '@sallyport/contract/resources/assets/protocols.ts'
import {
  arriveSwitchSources,
  arriveSystemUsers,
  type BoundTo,
  bindArrived,
  endBound,
} from '../../../domains/system-users/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { bring, countPairs, ended, type ImportContext, ORGANIZATION_GONE, type Referred } from '../context.ts'
import { loginSecrets } from '../login-secrets.ts'
import { Names } from '../names.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { bool, date, int, text, textOrNull, uuid } from '../values.ts'

const COLUMNS = [
  ...['org_id', 'name', 'username', 'password', 'private_key', 'token', 'type', 'protocol', 'login_mode', 'priority'],
  ...['sudo', 'shell', 'sftp_root', 'home', 'system_groups', 'ad_domain', 'username_same_with_user', 'auto_push'],
  ...['su_enabled', 'su_from_id', 'comment', 'created_by', 'date_created'],
]
const NO_TIME = new Date(0).toISOString()

/** System users of version 2, and what they are bound to. */
export async function importSystemUsers(context: ImportContext): Promise<void> {
  const { source, report, ids, run } = context
  const notes = report.kind('System users')
  const ofPeople = new Names(256)
  const switching: { id: string; from: string; name: string }[] = []
  for await (const batch of source.read({ table: 'assets.systemuser', columns: COLUMNS })) {
    notes.read += batch.length
    const rows = batch.flatMap((row) => systemUserOf(context, row, ofPeople, notes))
    await bring(context, notes, arriveSystemUsers, rows, 'system_user')
    for (const row of batch)
      if (bool(row.su_enabled) && row.su_from_id)
        switching.push({ id: row.id ?? '', from: row.su_from_id, name: text(row.name) })
  }
  const parts = switching.flatMap(({ id, from, name }) => {
    const own = ids.get('system_user', id)
    const source = ids.get('system_user', from)
    if (own && !source) notes.changes(name, 'The system user that it is switched to from has not come')
    return own && source ? [{ key: own, id: own, name, values: { su_enabled: true, su_from: source } }] : []
  })
  await arriveSwitchSources(run, parts)
  await bindAll(context)
}

function systemUserOf(context: ImportContext, row: SourceRow, ofPeople: Names, notes: KindNotes): ArrivingRow[] {
  const id = uuid(row.id)
  if (!id) return []
  const name = text(row.name, 128).trim() || id
  const org = context.ids.organization(row.org_id)
  const protocol = text(row.protocol).toLowerCase()
  if (!org || !Object.hasOwn(PROTOCOL_CHOICES, protocol)) {
    if (org) notes.staysBehind(name, 'Is for {{protocol}}, which is not known here', { protocol })
    else notes.staysBehind(name, ORGANIZATION_GONE)
    return []
  }
  const ofPerson = bool(row.username_same_with_user)
  const other = ofPerson ? ofPeople.holder(org, protocol) : undefined
  if (other) {
    notes.staysBehind(name, 'Takes the names of users, as another one of its protocol does')
    return []
  }
  if (ofPerson) ofPeople.take(org, protocol, id)
  const isManual = row.login_mode === 'manual'
  const { plain, key } = isManual
    ? { plain: { password_sealed: null, private_key_sealed: null }, key: { public_key: '', fingerprint: '' } }
    : loginSecrets(context, row, name, notes)
  const isAdmin = row.type === 'admin'
  const values = {
    ...{ org_id: org, name, username: ofPerson ? '' : text(row.username, 128), type: isAdmin ? 'admin' : 'common' },
    ...{ protocol, login_mode: isManual ? 'manual' : 'auto', priority: int(row.priority, 1, 100, 81) },
    ...{ sudo: text(row.sudo), shell: text(row.shell, 64), sftp_root: sftpRoot(row), home: text(row.home, 4096) },
    ...{ system_groups: text(row.system_groups, 4096), ad_domain: text(row.ad_domain, 256) },
    ...{ username_same_with_user: ofPerson, auto_push: isPushed(row, protocol), comment: text(row.comment) },
    ...{ created_by: textOrNull(row.created_by, 128), date_created: date(row.date_created) ?? NO_TIME },
    ...{ public_key: key.public_key, ssh_key_fingerprint: key.fingerprint },
  }
  return [{ key: id, id, name, values, plain: { ...plain, token_sealed: textOrNull(row.token) } }]
}

const isPushed = (row: SourceRow, protocol: string) =>
  bool(row.auto_push) && row.type !== 'admin' && row.login_mode !== 'manual' && /^(?:ssh|rdp)$/.test(protocol)

function sftpRoot(row: SourceRow): string {
  const root = text(row.sftp_root, 128)
  return /^(?:home|tmp|\/.*)$/.test(root) ? root : 'tmp'
}

const BOUND: readonly { to: BoundTo; table: string; column: string; kind: Referred }[] = [
  { to: 'node', table: 'assets.systemuser_nodes', column: 'node_id', kind: 'node' },
  { to: 'user', table: 'assets.systemuser_users', column: 'user_id', kind: 'person' },
  { to: 'group', table: 'assets.systemuser_groups', column: 'usergroup_id', kind: 'group' },
]

async function bindAll({ source, report, ids, run }: ImportContext): Promise<void> {
  const notes = report.kind('Bindings of system users')
  for (const { to, table, column, kind } of BOUND) {
    for await (const batch of source.read({ table, columns: ['systemuser_id', column] })) {
      notes.read += batch.length
      const pairs = batch.flatMap((row) => {
        const systemUser = ids.get('system_user', row.systemuser_id)
        const other = ids.get(kind, row[column])
        return systemUser && other ? [[systemUser, other] as const] : []
      })
      notes.behind += batch.length - pairs.length
      notes.many(batch.length - pairs.length, 'One of both has not come')
      countPairs(notes, await bindArrived(run, to, pairs))
    }
    notes.many(
      await ended({ source }, [table], () => endBound(run, to)),
      'Ended there since the last run: removed here',
      false,
    )
  }
}
