import { PERMISSION } from '@sallyport/contract/access.ts'
import {
  type RecordingMove,
  type RecordingNotMoved,
  recordingMove,
} from '@sallyport/contract/resources/terminal/recording-move.ts'
import { useQuery } from '@tanstack/react-query'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { Status, type Tone } from '../../design/Status.tsx'
import type { ActionContext } from '../../generic/view/actions.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import { api } from '../../lib/api.ts'
import { formatDate } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import { keys } from '../../lib/query.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { sizeText } from '../../terminal/files/folder/entries.ts'
import { showWith } from '../dialogs.tsx'
import { runTask } from '../run-task.ts'
import { openTaskLog } from '../windows.ts'

export const routes = resourcePlaces('RecordingMove', {
  menu: 'terminal',
  bits: PERMISSION.super,
  path: '/terminal/storages/recording-moves',
  titles: {},
  active: '/terminal/terminal',
})

const POLL_MS = 5_000
const TONES: Record<RecordingMove['state'], Tone> = { running: 'info', stopped: 'warning', done: 'good' }
const wordsOf = (state: RecordingMove['state']): string =>
  ({ running: t('In progress'), stopped: t('Stopped'), done: t('Done') })[state]

async function goOn({ id }: RecordingMove, { refresh }: ActionContext): Promise<void> {
  await runTask(`${recordingMove.path}${id}/resume/`).catch(() => {})
  await refresh()
}

/** Recordings that stayed where they were, and why. */
function NotMoved({ id }: Pick<RecordingMove, 'id'>) {
  const path = `${recordingMove.path}${id}/failures/`
  const found = useQuery({
    queryKey: keys.list(path, {}),
    queryFn: ({ signal }) => api.get<RecordingNotMoved[]>(path, { signal, quiet: true }),
  })
  if (found.isLoadingError) return <LoadFailed error={found.error} onRetry={() => void found.refetch()} />
  if (!found.data) return <Skeleton lines={4} />
  if (found.data.length === 0) return <p>{t('None')}</p>
  return (
    <ul>
      {found.data.map(({ session, user, asset, date_start, reason }) => (
        <li key={session}>
          <a
            href={`/ui/terminal/sessions/${session}`}
          >{`${nameOf(user)} → ${nameOf(asset)}, ${formatDate(date_start)}`}</a>
          : {reason}
        </li>
      ))}
    </ul>
  )
}

/** Recordings that were moved, or are being moved, between storages. */
export const recordingMovePages = definePages<RecordingMove>(recordingMove, {
  list: {
    none: msg('No recordings were moved yet'),
    lead: msg('Recordings moved from one storage to another. Start a move with “Move recordings” beside a storage.'),
    columns: [
      { field: 'date_created', width: 128 },
      // Both in one: each by itself was cut, and on a phone nothing said which is which.
      {
        field: 'source_display',
        title: msg('Storages'),
        cell: ({ row }) => `${row.source_display} → ${row.target_display}`,
      },
      { field: 'target_display', title: msg('To storage') },
      {
        field: 'state',
        width: 110,
        sorter: false,
        cell: ({ row }) => <Status tone={TONES[row.state]}>{wordsOf(row.state)}</Status>,
      },
      {
        field: 'moved',
        align: 'right',
        sorter: false,
        width: 116,
        cell: ({ row: { moved, amount } }) => t('{{part}} of {{all}}@@moved', { part: moved, all: amount }),
      },
      { field: 'failed', align: 'right', sorter: false, width: 92 },
      {
        field: 'bytes',
        title: msg('Size'),
        align: 'right',
        sorter: false,
        width: 90,
        cell: ({ row }) => sizeText(row.bytes),
      },
      { field: 'reason', sorter: false },
      { field: 'created_by', sorter: false },
      'date_from',
      'date_to',
      'rate_limit',
      'date_finished',
    ],
    defaultColumns: ['date_created', 'source_display', 'state', 'moved', 'failed', 'bytes', 'reason'],
    foldFirst: ['bytes', 'date_created'],
    linkColumn: 'none',
    hasSearch: false,
    hasSelection: false,
    canCreate: false,
    canUpdate: false,
    canDelete: false,
    canClone: false,
    canBulkDelete: false,
    refetchInterval: POLL_MS,
    rowActions: [
      { name: 'log', title: msg('Log'), order: 1, run: ({ task }) => openTaskLog(task) },
      {
        name: 'failures',
        title: msg('Not moved'),
        order: 2,
        has: ({ failed }) => failed > 0,
        run: ({ id }) => showWith(t('Recordings not moved'), <NotMoved id={id} />),
      },
      { name: 'resume', title: msg('Resume'), order: 3, has: ({ state }) => state !== 'running', run: goOn },
    ],
  },
})

export const pages = {}
