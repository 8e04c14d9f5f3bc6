import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { ftpLog } from '@sallyport/contract/resources/audits/ftp-log.ts'
import { operateLog } from '@sallyport/contract/resources/audits/operate-log.ts'
import {
  arriveFtpLogs,
  arriveLoginLogs,
  arriveOperateLogs,
  arrivePasswordChangeLogs,
} from '../../../domains/audits/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { type ImportContext, ORGANIZATION_GONE } from '../context.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { bool, date, int, text, textOrNull, uuid } from '../values.ts'
import { type HistoryKind, importHistory, PRODUCT } from './history.ts'

const UNKNOWN_ACTION = 'Has the action {{action}}, which is not known here'

/** Sign-ins, operations, file transfers and password changes. */
export async function importLogs(context: ImportContext): Promise<void> {
  const people = await peopleByUsername(context)
  for (const kind of [loginLogs(people), operateLogs(context, people), ftpLogs(context, people), passwordLogs(people)])
    await importHistory(context, kind)
}

type People = ReadonlyMap<string, string>

/** Ids here by usernames there, which logs name people by. */
async function peopleByUsername({ source, ids }: ImportContext): Promise<People> {
  const people = new Map<string, string>()
  for await (const batch of source.read({ table: 'users.user', columns: ['username'] }))
    for (const row of batch) {
      const id = ids.get('person', row.id)
      if (id && row.username) people.set(row.username, id)
    }
  return people
}

/** The person of `name(username)`, or of a username. */
const personIn = (people: People, name: string | null | undefined): string | null =>
  people.get(name ?? '') ?? people.get(/\(([^()]*)\)$/.exec(name ?? '')?.[1] ?? '') ?? null

/** A row of its id and time; undefined where it has none. */
function rowOf(row: SourceRow, time: string, values: Record<string, unknown>): ArrivingRow | undefined {
  const id = uuid(row.id)
  const at = date(row[time])
  return id && at ? { key: id, id, name: id, values: { ...values, [time]: at, arrived_from: PRODUCT } } : undefined
}

const loginLogs = (people: People): HistoryKind => ({
  label: 'Past sign-ins',
  table: 'audits.userloginlog',
  columns: ['username', 'type', 'ip', 'user_agent', 'mfa', 'reason', 'backend', 'status'],
  time: 'datetime',
  keptBy: 'LOGIN_LOG_KEEP_DAYS',
  rowOf: (row) =>
    rowOf(row, 'datetime', {
      ...{ username: text(row.username, 128), user_id: personIn(people, row.username), ip: text(row.ip, 45) },
      type: /^[WTU]$/.test(row.type ?? '') ? row.type : 'U',
      ...{ user_agent: textOrNull(row.user_agent, 254), mfa: int(row.mfa, 0, 2, 2), reason: text(row.reason, 128) },
      ...{ backend: text(row.backend, 32), status: bool(row.status) },
    }),
  arrive: arriveLoginLogs,
})

const operateLogs = ({ ids }: ImportContext, people: People): HistoryKind => ({
  label: 'Past operations',
  table: 'audits.operatelog',
  columns: ['org_id', 'user', 'action', 'resource_type', 'resource', 'remote_addr'],
  time: 'datetime',
  keptBy: 'OPERATE_LOG_KEEP_DAYS',
  rowOf(row, notes) {
    const action = text(row.action, 16).toLowerCase()
    const name = text(row.resource, 128)
    // A row of no organization is for those who may see all.
    const isGlobal = !row.org_id || uuid(row.org_id) === ROOT_ORG_ID
    const org = isGlobal ? ROOT_ORG_ID : ids.organization(row.org_id)
    if (!Object.hasOwn(operateLog.fields.action.choices, action)) return behind(notes, name, UNKNOWN_ACTION, { action })
    if (!org) return behind(notes, name, ORGANIZATION_GONE)
    return rowOf(row, 'datetime', {
      ...{ org_id: org, user: text(row.user, 128), user_id: personIn(people, row.user), action, resource: name },
      ...{ resource_type: text(row.resource_type, 64), remote_addr: textOrNull(row.remote_addr, 128) },
    })
  },
  arrive: arriveOperateLogs,
})

/** What they write in small letters since version 3. */
const OPERATIONS = new Map([
  ...Object.keys(ftpLog.fields.operate.choices).map((name) => [name.toLowerCase(), name] as const),
  ['rename_dir', 'Rename'] as const,
])

const ftpLogs = ({ ids, version }: ImportContext, people: People): HistoryKind => ({
  label: 'Past file transfers',
  table: 'audits.ftplog',
  columns: [
    ...['org_id', 'user', 'remote_addr', 'asset', 'system_user', 'account', 'operate', 'filename', 'is_success'],
    'session',
  ],
  time: 'date_start',
  keptBy: 'FTP_LOG_KEEP_DAYS',
  rowOf(row, notes) {
    const name = text(row.filename, 1024)
    const operate = OPERATIONS.get((row.operate ?? '').toLowerCase())
    const org = ids.organization(row.org_id)
    if (!operate) return behind(notes, name, UNKNOWN_ACTION, { action: text(row.operate, 16) })
    if (!org) return behind(notes, name, ORGANIZATION_GONE)
    return rowOf(row, 'date_start', {
      ...{ org_id: org, user: text(row.user, 128), user_id: personIn(people, row.user), operate, filename: name },
      ...{ remote_addr: textOrNull(row.remote_addr, 128), asset: text(row.asset, 1024) },
      system_user: text(version.model === 2 ? row.system_user : row.account, 128),
      ...{ is_success: bool(row.is_success), session_id: uuid(row.session) ?? null },
    })
  },
  arrive: arriveFtpLogs,
})

/** Kept for ever here, so all of them come. */
const passwordLogs = (people: People): HistoryKind => ({
  label: 'Past password changes',
  table: 'audits.passwordchangelog',
  columns: ['user', 'change_by', 'remote_addr'],
  time: 'datetime',
  rowOf: (row) =>
    rowOf(row, 'datetime', {
      ...{ user: text(row.user, 128), user_id: personIn(people, row.user), change_by: text(row.change_by, 128) },
      ...{ change_by_id: personIn(people, row.change_by), remote_addr: textOrNull(row.remote_addr, 128) },
    }),
  arrive: arrivePasswordChangeLogs,
})

function behind(notes: KindNotes, name: string, why: string, values: Record<string, string> = {}): undefined {
  notes.staysBehind(name, why, values)
  return undefined
}
