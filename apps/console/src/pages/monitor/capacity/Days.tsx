import type { CapacityDay, CapacityReport } from '@sallyport/contract/resources/monitor/capacity.ts'
import { LinkedWords } from '../../../generic/cells/link-cell.tsx'
import { formatNumber } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { listOf } from '../../../navigation/routes.ts'
import { MonitorTable } from '../../ops/monitor/MonitorTable.tsx'
import styles from './capacity.module.css'

/** The busiest minute of each day, against what the node carries. */
export function Days({ report: { days, limit } }: { report: CapacityReport }) {
  return (
    <section className="panel" aria-label={t('Busiest minute of each day')}>
      <h2>
        {t('Busiest minute of each day')}
        <small className="quiet">
          <LinkedWords to={listOf('Settings', { activeTab: 'Monitor' })}>
            {limit ? t('Reported from {{limit}}% on', { limit }) : t('Not reported')}
          </LinkedWords>
        </small>
      </h2>
      {days.length ? (
        <MonitorTable
          label={t('Busiest minute of each day')}
          rows={days}
          keyOf={({ node, day }) => `${node} ${day}`}
          none=""
          columns={[
            { title: t('Day'), draw: ({ day }: CapacityDay) => day },
            { title: t('Node@@server'), draw: ({ node_name }) => node_name },
            { title: t('Live sessions'), isNumber: true, draw: ({ sessions }) => formatNumber(sessions) },
            { title: t('New sessions a minute'), isNumber: true, draw: ({ opened }) => formatNumber(opened) },
            {
              title: t('Commands a second'),
              isNumber: true,
              draw: ({ commands }) => formatNumber(Math.round(commands * 10) / 10),
            },
            { title: t('Full'), draw: ({ percent }) => <Full percent={percent} limit={limit} /> },
          ]}
        />
      ) : (
        <p className={`inside quiet ${styles.none}`}>{t('The first day comes within an hour after a measurement.')}</p>
      )}
    </section>
  )
}

function Full({ percent, limit }: { percent: number; limit: number }) {
  const isNear = limit > 0 && percent >= limit
  return (
    <span className={styles.full} data-near={isNear || undefined}>
      <span className={styles.bar}>
        <i style={{ inlineSize: `${Math.min(100, percent)}%` }} />
      </span>
      {`${formatNumber(Math.round(percent))}%`}
    </span>
  )
}
