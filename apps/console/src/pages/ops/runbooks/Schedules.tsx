import { type Runbook, runbook } from '@sallyport/contract/resources/ops/runbook.ts'
import { type RunbookSchedule, runbookSchedule } from '@sallyport/contract/resources/ops/runbook-schedule.ts'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { confirmDanger, showError, showSuccess } from '../../../design/dialogs/feedback.tsx'
import { Named } from '../../../design/Named.tsx'
import { Status } from '../../../design/Status.tsx'
import { countCell } from '../../../generic/cells/cells.tsx'
import { ResourceTable } from '../../../generic/list/ResourceTable.tsx'
import { definePages } from '../../../generic/view/define-pages.ts'
import type { DetailProps } from '../../../generic/view/detail-view.ts'
import { ApiError, api, errorText } from '../../../lib/api.ts'
import { atOnce, withValues } from '../../../lib/at-once.ts'
import { formatDate } from '../../../lib/format.ts'
import { msg, t } from '../../../lib/i18n.ts'
import { forget } from '../../../lib/query.ts'
import { scheduleWords } from '../../accounts/schedule-words.ts'
import { RUN_TAB, runAddress, SCHEDULE } from '../runbook-address.ts'

const change = async (row: RunbookSchedule, draft: object, refresh: () => Promise<void>) => {
  try {
    const { path } = runbookSchedule
    await atOnce(path, withValues([row.id], draft), () => api.patch(`${path}${row.id}/`, draft, { quiet: true }))
  } catch (failure) {
    // Changed meanwhile: the page shows the steps of now.
    if (failure instanceof ApiError && failure.status === 409) await Promise.all([forget(runbook.path), refresh()])
    throw failure
  }
  showSuccess(t('Saved'))
  await refresh()
}

const tell = (failure: unknown) => showError(errorText(failure))

/** `version` is that of the runbook as the page shows it: agreeing agrees to those steps, and to no later ones. */
const schedulePagesOf = (version: number) =>
  definePages<RunbookSchedule>(runbookSchedule, {
    list: {
      none: msg('Not scheduled: preview a run, and choose its times there'),
      columns: [
        { field: 'crontab', title: msg('Schedule'), width: 200, sorter: false, cell: ({ row }) => timesOf(row) },
        {
          field: 'hosts',
          title: msg('Assets@@amount'),
          align: 'right',
          sorter: false,
          cell: countCell,
        },
        { field: 'author', sorter: false, cell: ({ value }) => <Named text={String(value ?? '')} /> },
        { field: 'run_as', sorter: false },
        { field: 'values', sorter: false, cell: ({ row }) => valuesOf(row) },
        {
          field: 'is_periodic',
          title: msg('State'),
          width: 160,
          sorter: false,
          cell: ({ row }) => <State row={row} />,
        },
        {
          field: 'date_next_run',
          sorter: false,
          cell: ({ row }) => (row.is_periodic && !row.is_outdated ? formatDate(row.date_next_run) : ''),
        },
        {
          field: 'date_last_run',
          sorter: false,
          cell: ({ row }) =>
            row.last_execution ? (
              <Link to={`?${new URLSearchParams({ activeTab: RUN_TAB, run: row.last_execution })}`}>
                {formatDate(row.date_last_run)}
              </Link>
            ) : (
              formatDate(row.date_last_run)
            ),
        },
        { field: 'error', sorter: false },
      ],
      linkColumn: 'crontab',
      minColumns: ['crontab', 'is_periodic'],
      foldFirst: ['run_as', 'date_last_run', 'hosts', 'error', 'date_next_run', 'author'],
      hasSearch: false,
      hideSearch: ['runbook'],
      canUpdate: false,
      canClone: false,
      canCreate: false,
      hasSelection: false,
      rowActions: [
        {
          name: 'change',
          title: msg('Update'),
          order: 10,
          has: (row) => row.is_own,
          run: (row, { go }) => go(runAddress(row.runbook, { [SCHEDULE]: row.id }) ?? ''),
        },
        {
          name: 'agree',
          title: msg('Agree to the changed steps'),
          order: 5,
          has: (row) => row.is_own && row.is_outdated,
          run: (row, { refresh }) =>
            confirmDanger({
              title: t('Agree to the changed steps?'),
              content: t('The steps as they are now will run with your rights. What was changed is under Versions.'),
              okText: t('Agree to the changed steps'),
              onOk: () => change(row, { is_periodic: true, version }, refresh),
            }),
        },
        {
          name: 'on',
          title: msg('Switch on'),
          order: 6,
          has: (row) => row.is_own && !row.is_periodic && !row.is_outdated,
          run: (row, { refresh }) => change(row, { is_periodic: true, version: row.version }, refresh).catch(tell),
        },
        {
          name: 'off',
          title: msg('Switch off'),
          order: 6,
          has: (row) => row.is_periodic,
          run: (row, { refresh }) => change(row, { is_periodic: false }, refresh).catch(tell),
        },
      ],
    },
    rowTitle: (row) => timesOf(row),
  })

/** Its times, whether or not it is switched on. */
const timesOf = (row: RunbookSchedule) => scheduleWords({ ...row, is_periodic: true })

const valuesOf = ({ values }: RunbookSchedule) =>
  Object.entries(values)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ')

function State({ row: { is_periodic, is_outdated } }: { row: RunbookSchedule }) {
  if (!is_periodic) return <Status tone="quiet">{t('Off')}</Status>
  if (is_outdated) return <Status tone="warning">{t('Steps were changed')}</Status>
  return <Status tone="good">{t('On')}</Status>
}

/** When the person has it run by itself; for administrators, others too. */
export function Schedules({ row }: DetailProps<Runbook>) {
  const pages = useMemo(() => schedulePagesOf(row.version), [row.version])
  return <ResourceTable pages={pages} base="RunbookSchedule" inAddress={false} query={{ runbook: row.id }} />
}
