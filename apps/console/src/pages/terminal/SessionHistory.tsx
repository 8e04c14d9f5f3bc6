import type { Session } from '@sallyport/contract/resources/terminal/session.ts'
import { type SessionEvent, sessionEvent } from '@sallyport/contract/resources/terminal/session-event.ts'
import {
  type SessionJoinRecord,
  sessionJoinRecord,
} from '@sallyport/contract/resources/terminal/session-join-record.ts'
import { StateCell } from '../../generic/cells/StateCell.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps, RowState } from '../../generic/view/detail-view.ts'
import { msg, t } from '../../lib/i18n.ts'

const events = definePages<SessionEvent>(sessionEvent, {
  list: {
    columns: ['date_created', 'event', 'reason', 'user', 'remote_addr'],
    hasSearch: false,
    defaultOrder: 'date_created',
  },
})

/** Lines that broke, re-attachments, locks and the end of a session. */
export function SessionHistory({ row }: DetailProps<Session>) {
  return <ResourceTable pages={events} base="SessionEvent" inAddress={false} query={{ session: row.id }} />
}

const joins = definePages<SessionJoinRecord>(sessionJoinRecord, {
  list: {
    columns: [
      'joiner_display',
      'verify_code',
      'reason',
      { field: 'is_success', title: msg('State'), cell: ({ row }) => <StateCell {...joinState(row)} /> },
      'date_joined',
      'date_left',
      'org_name',
    ],
    defaultColumns: ['joiner_display', 'verify_code', 'is_success', 'reason', 'date_joined', 'date_left'],
    minColumns: ['joiner_display', 'is_success', 'reason'],
    hideSearch: ['date_joined', 'date_left'],
    canDelete: false,
    canBulkDelete: false,
  },
})

/** Whether somebody was let in, and is still there. */
function joinState({ is_success, is_finished }: SessionJoinRecord): RowState {
  if (!is_success) return { tone: 'danger', words: t('Failed') }
  return is_finished ? { tone: 'quiet', words: t('Left@@session') } : { tone: 'good', words: t('Watching') }
}

/** People who joined the session, or tried to (contract terminal session_join_record.ui). */
export function SessionActivity({ row }: DetailProps<Session>) {
  return <ResourceTable pages={joins} base="SessionJoinRecord" inAddress={false} query={{ session: row.id }} />
}
