import type { MonitorAlarm } from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { ShieldCheckIcon } from 'lucide-react'
import { useState } from 'react'
import { EmptyState } from '../../design/EmptyState.tsx'
import { Notice } from '../../design/Notice.tsx'
import { LinkedWords } from '../../generic/cells/link-cell.tsx'
import { When } from '../../generic/cells/When.tsx'
import { Sentence } from '../../generic/detail/Sentence.tsx'
import { Pager } from '../../generic/rows/Pager.tsx'
import { formatDuration, parseDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { MonitorTable } from '../ops/monitor/MonitorTable.tsx'
import { explains } from './figures.ts'
import styles from './system-monitor.module.css'
import { usePastAlarms } from './use-system-monitor.ts'

const PAGE = 10

/** The faults now, each with since when and the page that explains it. */
export function OpenAlarms({ alarms }: { alarms: readonly MonitorAlarm[] }) {
  if (!alarms.length) return null
  return (
    <section aria-label={t('Alarms')} className={styles.openAlarms}>
      {alarms.map(({ id, kind, text, date_opened }) => (
        <Notice
          key={id}
          tone="danger"
          role="status"
          title={text}
          action={<LinkedWords to={explains(kind)}>{explains(kind) && t('View@@action')}</LinkedWords>}
        >
          <Sentence text={t('Began {{when}}')} parts={{ when: <When value={date_opened} /> }} />
        </Notice>
      ))}
    </section>
  )
}

/** Past faults, the newest first. */
export function PastAlarms() {
  const [page, setPage] = useState(1)
  const read = usePastAlarms(PAGE, (page - 1) * PAGE)
  const count = read.data?.count ?? 0
  return (
    <section className="panel" aria-label={t('Past alarms')}>
      <h2>{t('Past alarms')}</h2>
      {read.data && count === 0 ? (
        <EmptyState icon={<ShieldCheckIcon />} title={t('No alarm in the last 90 days')} />
      ) : (
        <MonitorTable
          label={t('Past alarms')}
          read={read}
          rows={read.data?.results}
          keyOf={({ id }) => id}
          none=""
          columns={[
            { title: t('Alarm'), draw: ({ text }) => text },
            { title: t('Began'), draw: ({ date_opened }) => <When value={date_opened} /> },
            { title: t('Duration'), isNumber: true, draw: durationOf },
          ]}
        />
      )}
      {count > PAGE && <Pager count={count} page={page} size={PAGE} onPage={setPage} label={t('Past alarms')} />}
    </section>
  )
}

function durationOf({ date_opened, date_closed }: MonitorAlarm): string {
  const [from, to] = [parseDate(date_opened), parseDate(date_closed)]
  return from && to ? formatDuration((to.getTime() - from.getTime()) / 1000) : ''
}
