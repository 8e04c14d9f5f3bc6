import { PERMISSION } from '@sallyport/contract/access.ts'
import type { CapacityReport } from '@sallyport/contract/resources/monitor/capacity.ts'
import { GaugeIcon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { NativeSelect } from '../../design/boxes/NativeSelect.tsx'
import { EmptyState } from '../../design/EmptyState.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'
import styles from './capacity/capacity.module.css'
import { Days } from './capacity/Days.tsx'
import { FigureTable } from './capacity/FigureTable.tsx'
import { Headline } from './capacity/Headline.tsx'
import { Runs } from './capacity/Runs.tsx'
import { Underway } from './capacity/Underway.tsx'
import { useCapacity, useMeasure } from './capacity/use-capacity.ts'

export const routes = places({
  name: 'Capacity',
  menu: 'xpack',
  order: 20,
  title: msg('Capacity@@page'),
  path: '/xpack/capacity',
  bits: PERMISSION.super,
})

/** What this installation carries, as it was measured on it, and the days that came near. */
export function Capacity({ title }: PageProps) {
  const capacity = useCapacity()
  const report = capacity.data
  return (
    <PageFrame
      title={title}
      lead={t(
        'Measured on the nodes themselves, for a minute or two. People at work come first, and nothing stays but the figures.',
      )}
      actions={report && report.history.length > 0 && <Measure report={report} />}
    >
      {report ? (
        <div className={styles.capacity}>
          {report.current && <Underway run={report.current} />}
          {report.history.length ? (
            <>
              <Headline report={report} />
              <Days report={report} />
              {report.newest.map((run) => (
                <FigureTable key={run.node} run={run} report={report} />
              ))}
              <Runs report={report} />
            </>
          ) : (
            <EmptyState icon={<GaugeIcon />} title={t('Never measured')} action={<Measure report={report} />}>
              {t(
                'A measurement says how many people, sessions and statements this installation carries, and what is full first.',
              )}
            </EmptyState>
          )}
        </div>
      ) : capacity.error ? (
        <LoadFailed error={capacity.error} onRetry={() => void capacity.refetch()} />
      ) : (
        <Skeleton lines={12} />
      )}
    </PageFrame>
  )
}

/** Which node, where there are several, and the button. */
function Measure({ report: { nodes, current } }: { report: CapacityReport }) {
  const measure = useMeasure()
  const measurable = nodes.filter(({ is_measurable }) => is_measurable)
  const [chosen, setChosen] = useState<string>()
  const node = measurable.find(({ id }) => id === chosen) ?? measurable[0]
  return (
    <>
      {measurable.length > 1 && (
        <NativeSelect aria-label={t('Node@@server')} value={node?.id} onChange={setChosen}>
          {measurable.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </NativeSelect>
      )}
      <Button
        type="primary"
        icon={<GaugeIcon />}
        disabled={!node || current !== null}
        loading={measure.isPending}
        onClick={() => node && measure.mutate(node.id)}
      >
        {t('Measure now')}
      </Button>
    </>
  )
}

export const pages = { Capacity }
