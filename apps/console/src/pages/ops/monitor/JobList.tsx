import { type JobState, MONITOR_PATH, type MonitoredJob } from '@sallyport/contract/resources/ops/task-monitor.ts'
import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { NativeSelect } from '../../../design/boxes/NativeSelect.tsx'
import { confirmDanger, showSuccess } from '../../../design/dialogs/feedback.tsx'
import { When } from '../../../generic/cells/When.tsx'
import { Pager } from '../../../generic/rows/Pager.tsx'
import { api } from '../../../lib/api.ts'
import { formatDuration, parseDate } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { forget } from '../../../lib/query.ts'
import { openTaskLog } from '../../windows.ts'
import { MonitorTable, QueueName } from './MonitorTable.tsx'
import styles from './monitor.module.css'
import { useMonitor, useQueues } from './use-monitor.ts'

const PAGE = 20

/** Jobs of one state, with why they failed, and what can be done about them. */
export function JobList() {
  const [state, setState] = useState<JobState>('running')
  const [queue, setQueue] = useState('')
  const [page, setPage] = useState(1)
  const queues = useQueues()
  const read = useMonitor<{ count: number; results: MonitoredJob[] }>('jobs', {
    state,
    queue: queue || undefined,
    limit: PAGE,
    offset: (page - 1) * PAGE,
  })
  const states: Record<JobState, string> = {
    running: t('Running'),
    waiting: t('Waiting'),
    failed: t('Failed'),
    done: t('Finished'),
    cancelled: t('Cancelled'),
  }
  return (
    <>
      <div className="table-tools">
        <div className="left">
          <NativeSelect
            className="quick-filter"
            aria-label={t('State')}
            value={state}
            onChange={(next) => {
              setState(next as JobState)
              setPage(1)
            }}
          >
            {Object.entries(states).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </NativeSelect>
          <NativeSelect
            className="quick-filter"
            aria-label={t('Queue')}
            value={queue}
            onChange={(next) => {
              setQueue(next)
              setPage(1)
            }}
          >
            <option value="">{t('All queues')}</option>
            {queues.data?.map((one) => (
              <option key={one.queue} value={one.queue}>
                {one.title || one.queue}
              </option>
            ))}
          </NativeSelect>
        </div>
      </div>
      <MonitorTable
        label={t('Jobs')}
        read={read}
        rows={read.data?.results}
        keyOf={({ id }) => id}
        none={t('No jobs in this state')}
        columns={[
          { title: t('Job'), draw: (job) => <QueueName {...job} /> },
          { title: t('Created@@job'), draw: ({ date_created }) => <When value={date_created} /> },
          { title: t('Started'), draw: ({ date_start }) => <When value={date_start} /> },
          { title: t('Duration'), isNumber: true, draw: durationOf },
          { title: t('Attempts'), isNumber: true, draw: ({ tries }) => tries },
          { title: t('Error'), draw: ({ error }) => error && <span className={styles.jobError}>{error}</span> },
          { title: t('Actions@@column'), draw: (job) => <Actions of={job} /> },
        ]}
      />
      {(read.data?.count ?? 0) > PAGE && (
        <Pager count={read.data?.count ?? 0} page={page} size={PAGE} onPage={setPage} />
      )}
    </>
  )
}

function durationOf({ date_start, date_finished }: MonitoredJob): string {
  const start = parseDate(date_start)?.getTime()
  const end = parseDate(date_finished)?.getTime() ?? Date.now()
  return start === undefined ? '' : formatDuration(Math.max(0, (end - start) / 1000))
}

async function order(job: MonitoredJob, action: 'retry' | 'cancel', done: string): Promise<void> {
  await api.post(`${MONITOR_PATH}jobs/${job.id}/${action}/`)
  showSuccess(done)
  await forget(MONITOR_PATH)
}

function Actions({ of: job }: { of: MonitoredJob }) {
  return (
    <span className="row-actions">
      {job.has_log && (
        <Button type="text" size="small" onClick={() => openTaskLog(job.id)}>
          {t('Output')}
        </Button>
      )}
      {job.can_retry && (
        <Button
          type="text"
          size="small"
          onClick={() => void order(job, 'retry', t('The job is queued again')).catch(() => {})}
        >
          {t('Retry')}
        </Button>
      )}
      {job.can_cancel && (
        <Button
          type="text"
          size="small"
          danger
          onClick={() =>
            confirmDanger({
              title: t('Cancel job {{name}}?', { name: job.title }),
              content: t('What it started on machines is ended there.'),
              okText: t('Cancel the job'),
              cancelText: t('Back'),
              onOk: () => order(job, 'cancel', t('Cancelled')),
            })
          }
        >
          {t('Cancel the job')}
        </Button>
      )}
    </span>
  )
}
