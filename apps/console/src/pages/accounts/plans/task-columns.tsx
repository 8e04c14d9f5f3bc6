import type { ChangeState } from '@sallyport/contract/resources/accounts/change-auth.ts'
import { Status } from '../../../design/Status.tsx'
import type { RowAction } from '../../../generic/view/actions.ts'
import { api } from '../../../lib/api.ts'
import { formatDuration } from '../../../lib/format.ts'
import { msg } from '../../../lib/i18n.ts'
import { openTaskLog } from '../../windows.ts'
import { stateWords, TONES } from './change-state.ts'

export const TASK_POLL_MS = 2000

/** Columns that all accounts of a run have in common. */
type Subtask = { id: string; state: ChangeState; timedelta: number }

/** How it stands with an account, and what is to be done about it. */
export const taskColumns = [
  {
    field: 'state' as const,
    cell: ({ row }: { row: Subtask }) => <Status tone={TONES[row.state]}>{stateWords(row.state)}</Status>,
  },
  { field: 'reason_display' as const, title: msg('What to do'), sorter: false as const },
  {
    field: 'timedelta' as const,
    sorter: false as const,
    cell: ({ row }: { row: Subtask }) => formatDuration(row.timedelta),
  },
  'date_start' as const,
]

const isOver = ({ state }: Subtask) => state === 'failed' || state === 'unknown' || state === 'skipped'

/** Tries an account of a run again. */
export const retryAction = (path: string): RowAction<Subtask> => ({
  name: 'retry',
  title: msg('Retry'),
  has: isOver,
  async run({ id }, { refresh }) {
    const { task } = await api.put<{ task: string }>(`${path}${id}/`, {})
    openTaskLog(task)
    await refresh()
  },
})
