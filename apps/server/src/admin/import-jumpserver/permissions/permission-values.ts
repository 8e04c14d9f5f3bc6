import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { bool, date, int, text, textOrNull } from '../values.ts'

export const PERMISSION_COLUMNS = [
  ...['org_id', 'name', 'actions', 'is_active', 'date_start', 'date_expired', 'created_by', 'date_created', 'comment'],
  'from_ticket',
]
const NO_TIME = new Date(0).toISOString()
const NEVER = '2099-12-31T00:00:00.000Z'
/** The actions that there are here. */
const KNOWN =
  ACTION_BITS.connect |
  ACTION_BITS.upload_file |
  ACTION_BITS.download_file |
  ACTION_BITS.clipboard_copy |
  ACTION_BITS.clipboard_paste
/** In version 3 and 4: deleting files by SFTP, and sharing a session. */
const DELETE = 32
const SHARE = 64

/**
 * Actions as bits. All of them are 255 in version 2, and 127 or 4095 later; 255 stays in rows that an
 * upgrade has left, without anybody having asked for its later bits.
 */
export function actionsOf(row: SourceRow, name: string, notes: KindNotes): number {
  const bits = int(row.actions, 0, 65_535, 0)
  if ((bits & KNOWN) === KNOWN) return ACTION_BITS.all
  if (bits & (DELETE | SHARE)) notes.changes(name, 'Deleting files and sharing sessions are no actions here')
  return bits & KNOWN
}

/** What permissions of all versions have in common. */
export const permissionValues = (row: SourceRow, org: string, name: string, notes: KindNotes) => ({
  ...{ org_id: org, actions: actionsOf(row, text(row.name), notes), is_active: bool(row.is_active), name },
  ...{ date_start: date(row.date_start) ?? NO_TIME, date_expired: date(row.date_expired) ?? NEVER },
  ...{ comment: text(row.comment), from_ticket: bool(row.from_ticket), created_by: textOrNull(row.created_by, 128) },
  date_created: date(row.date_created) ?? NO_TIME,
})
