import { session } from '@sallyport/contract/resources/terminal/session.ts'
import { familyOf } from '@sallyport/contract/target.ts'
import { arriveSessions } from '../../../domains/terminal/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { type ImportContext, ORGANIZATION_GONE } from '../context.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { bool, date, text, textOrNull, uuid } from '../values.ts'
import { importHistory, OVERLAP_DAYS, PRODUCT } from './history.ts'

const COLUMNS = [
  ...['org_id', 'user', 'user_id', 'asset', 'asset_id', 'system_user', 'system_user_id', 'account', 'login_from'],
  ...['remote_addr', 'protocol', 'is_success', 'is_finished', 'date_end'],
]
/** Their names for what is here under another one. */
const LOGIN_FROM: Readonly<Record<string, string>> = { VT: 'NT' }
const PROTOCOLS: Readonly<Record<string, string>> = { sftp: 'ssh' }

/** Sessions that are over. Recordings come by the files that there are, not by what the rows say. */
export const importSessions = (context: ImportContext): Promise<void> =>
  importHistory(context, {
    label: 'Past sessions',
    table: 'terminal.session',
    columns: COLUMNS,
    time: 'date_start',
    keptBy: 'TERMINAL_SESSION_KEEP_DURATION',
    rowOf: (row, notes) => sessionOf(context, row, notes),
    arrive: arriveSessions,
  })

function sessionOf({ ids, version }: ImportContext, row: SourceRow, notes: KindNotes): ArrivingRow | undefined {
  const id = uuid(row.id)
  const start = date(row.date_start)
  if (!id || !start) return undefined
  const org = ids.organization(row.org_id)
  const theirs = text(row.protocol, 16).toLowerCase()
  const protocol = PROTOCOLS[theirs] ?? theirs
  const goesOn = !bool(row.is_finished) && Date.now() - Date.parse(start) < OVERLAP_DAYS * 86_400_000
  if (!org) notes.staysBehind(id, ORGANIZATION_GONE)
  else if (!Object.hasOwn(session.fields.protocol.choices, protocol))
    notes.staysBehind(id, 'Has the protocol {{protocol}}, which there is not here', { protocol: theirs })
  else if (goesOn) notes.staysBehind(id, 'Goes on there: comes with the next run, once it is over')
  else {
    if (!bool(row.is_finished)) notes.changes(id, 'Has no end there: it ends here as it began')
    const end = date(row.date_end) ?? start
    const login = LOGIN_FROM[row.login_from ?? ''] ?? row.login_from ?? ''
    const machine = ids.get('asset', row.asset_id)
    const application = ids.get('application', row.asset_id)
    const values = {
      ...{ org_id: org, user: text(row.user, 128), asset: text(row.asset, 128) },
      system_user: text(version.model === 2 ? row.system_user : row.account, 128),
      user_id: ids.get('person', row.user_id) ?? uuid(row.user_id) ?? '',
      asset_id: machine ?? application ?? uuid(row.asset_id) ?? '',
      target_family: machine ? 'asset' : application ? 'application' : familyOf(protocol),
      system_user_id: ids.get('system_user', row.system_user_id) ?? '',
      login_from: Object.hasOwn(session.fields.login_from.choices, login) ? login : 'ST',
      ...{ remote_addr: textOrNull(row.remote_addr, 128), protocol, is_success: bool(row.is_success) },
      ...{ is_finished: true, date_start: start, date_end: end, date_last_active: end, arrived_from: PRODUCT },
    }
    return { key: id, id, name: id, values }
  }
  return undefined
}
