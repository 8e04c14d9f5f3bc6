import type { ComponentCounts } from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { TERMINAL_TYPES } from '@sallyport/contract/resources/terminal/terminal.ts'
import type { CSSProperties } from 'react'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { LinkedWords } from '../../generic/cells/link-cell.tsx'
import { languageTag, t } from '../../lib/i18n.ts'
import { listOf } from '../../navigation/routes.ts'
import styles from './system-monitor.module.css'
import { useComponents } from './use-system-monitor.ts'

const STATES = ['normal', 'high', 'critical', 'offline'] as const

/** A card for each type of component that there is (docs/rules/xpack.md#system_monitor). */
export function Components() {
  const read = useComponents()
  return (
    <section className="panel" aria-label={t('Components')}>
      <h2>{t('Components')}</h2>
      <div className="inside">
        {read.data ? (
          <div className={styles.componentCards}>
            {read.data
              .filter(({ total }) => total > 0)
              .map((counts) => (
                <Card key={counts.type} counts={counts} />
              ))}
          </div>
        ) : read.error ? (
          <LoadFailed error={read.error} onRetry={() => void read.refetch()} />
        ) : (
          <Skeleton lines={4} />
        )}
      </div>
    </section>
  )
}

function Card({ counts }: { counts: ComponentCounts }) {
  const { type, total, session_active } = counts
  const words = { normal: t('Normal'), high: t('High'), critical: t('Critical'), offline: t('Offline') }
  const share = (value: number) =>
    new Intl.NumberFormat(languageTag(), { style: 'percent', minimumFractionDigits: 2 }).format(value / total)
  return (
    <article className={styles.componentCard}>
      <h3>
        {TERMINAL_TYPES[type as keyof typeof TERMINAL_TYPES] ?? type} ( {total} )
      </h3>
      <div className={styles.loadBar} aria-hidden="true">
        {STATES.map((state) => (
          <span key={state} data-load={state} style={{ '--share': counts[state] } as CSSProperties} />
        ))}
      </div>
      <ul>
        {STATES.map((state) => (
          <li key={state} data-load={state}>
            <LinkedWords to={counts[state] ? listOf('TerminalList', { status: state }) : undefined}>
              {words[state]} {counts[state]}
            </LinkedWords>{' '}
            <small>{share(counts[state])}</small>
          </li>
        ))}
      </ul>
      <p>{t('Live sessions: {{count}}', { count: session_active })}</p>
    </article>
  )
}
