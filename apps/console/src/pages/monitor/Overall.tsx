import type { MonitorNow } from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { Status } from '../../design/Status.tsx'
import { When } from '../../generic/cells/When.tsx'
import { t } from '../../lib/i18n.ts'
import styles from './system-monitor.module.css'

/** The state of everything in a word, and as of when. */
export function Overall({ now: { state, date } }: { now: MonitorNow }) {
  return (
    <span className={styles.overall}>
      {state === 'healthy' ? (
        <Status tone="good">{t('Healthy')}</Status>
      ) : state === 'attention' ? (
        <Status tone="danger">{t('Needs attention')}</Status>
      ) : (
        <Status tone="quiet">{t('Not measured yet')}</Status>
      )}
      {date && (
        <small className="quiet">
          <When value={date} />
        </small>
      )}
    </span>
  )
}
