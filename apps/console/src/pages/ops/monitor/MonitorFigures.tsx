import type { QueueFigures } from '@sallyport/contract/resources/ops/task-monitor.ts'
import { When } from '../../../generic/cells/When.tsx'
import { t } from '../../../lib/i18n.ts'
import styles from './monitor.module.css'
import { useQueues } from './use-monitor.ts'

const sum = (queues: readonly QueueFigures[], of: (queue: QueueFigures) => number) =>
  queues.reduce((total, queue) => total + of(queue), 0)

/** Wire dates have the same zone in one answer: the smallest text is the oldest. */
const oldest = (queues: readonly QueueFigures[]) =>
  queues.flatMap(({ oldest_waiting }) => oldest_waiting ?? []).sort()[0]

/** All queues together. */
export function MonitorFigures() {
  const { data, isError } = useQueues()
  const figures = [
    { name: t('Running'), value: data && sum(data, ({ running }) => running) },
    { name: t('Waiting'), value: data && sum(data, ({ waiting }) => waiting) },
    { name: t('Oldest waiting'), value: data && (oldest(data) ? <When value={oldest(data)} /> : t('None')) },
    { name: t('Done in the last hour'), value: data && sum(data, ({ done_hour }) => done_hour) },
    { name: t('Failed in the last hour'), value: data && sum(data, ({ failed_hour }) => failed_hour) },
  ]
  return (
    <dl className={styles.monitorFigures}>
      {figures.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value ?? (isError ? '—' : <span className="skeleton-line" role="status" aria-label={t('Loading')} />)}
          </dd>
        </div>
      ))}
    </dl>
  )
}
