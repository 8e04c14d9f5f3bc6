import type { ChangeState } from '@sallyport/contract/resources/accounts/change-auth.ts'
import { Status, type Tone } from '../../../design/Status.tsx'
import type { RowAction } from '../../../generic/view/actions.ts'
import { api } from '../../../lib/api.ts'
import { formatDuration } from '../../../lib/format.ts'
import { msg, t } from '../../../lib/i18n.ts'
import { openTaskLog } from '../../windows.ts'

export const TASK_POLL_MS = 2000

/** What the accounts of a run have in common, whatever they are of. */
type Subtask = { id: string; state: ChangeState; timedelta: number }

export const TONES: Readonly<Record<ChangeState, Tone>> = {
  waiting: 'quiet',
  running: 'info',
  succeeded: 'good',
  failed: 'danger',
  unknown: 'warning',
  skipped: 'quiet',
}

export const stateWords = (state: ChangeState): string =>
  ({
    waiting: t('Waiting'),
    running: t('Running'),
    succeeded: t('Succeeded'),
    failed: t('Failed'),
    unknown: t('Not known yet'),
    skipped: t('Skipped'),
  })[state]

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
