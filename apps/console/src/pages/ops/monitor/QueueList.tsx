import type { QueueFigures } from '@sallyport/contract/resources/ops/task-monitor.ts'
import { When } from '../../../generic/cells/When.tsx'
import { formatDuration } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { MonitorTable, QueueName } from './MonitorTable.tsx'
import { useQueues } from './use-monitor.ts'

/** Zero says nothing, and is quiet. */
const Amount = ({ of, isBad }: { of: number; isBad?: boolean }) => (
  <span className={of === 0 ? 'quiet' : isBad ? 'bad' : undefined}>{of}</span>
)

/** Every queue now and in the last hour: those first that something is to be seen of. */
export function QueueList() {
  const read = useQueues()
  const weight = ({ running, waiting, failed, done_hour }: QueueFigures) =>
    running || waiting || failed ? 1e6 + running + waiting + failed : done_hour
  return (
    <MonitorTable
      label={t('Queues')}
      read={read}
      rows={read.data && [...read.data].sort((one, other) => weight(other) - weight(one))}
      keyOf={({ queue }) => queue}
      none={t('No queues')}
      columns={[
        { title: t('Queue'), draw: (row) => <QueueName {...row} /> },
        { title: t('Running'), isNumber: true, draw: ({ running }) => <Amount of={running} /> },
        { title: t('Waiting'), isNumber: true, draw: ({ waiting }) => <Amount of={waiting} /> },
        { title: t('Oldest waiting'), draw: ({ oldest_waiting }) => <When value={oldest_waiting} /> },
        { title: t('For later'), isNumber: true, draw: ({ later }) => <Amount of={later} /> },
        { title: t('Failed in 7 days'), isNumber: true, draw: ({ failed }) => <Amount of={failed} isBad /> },
        { title: t('Done in the last hour'), isNumber: true, draw: ({ done_hour }) => <Amount of={done_hour} /> },
        {
          title: t('Avg. duration'),
          isNumber: true,
          draw: ({ seconds }) => (seconds === null ? null : formatDuration(seconds)),
        },
      ]}
    />
  )
}
