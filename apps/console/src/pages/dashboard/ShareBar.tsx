import { Link } from 'react-router'
import { t } from '../../lib/i18n.ts'
import styles from './dashboard.module.css'

interface ShareBarProps {
  title: string
  /** Share of the whole; the two make the whole. */
  active: { name: string; value: number; to?: string | undefined }
  idle: { name: string; value: number; to?: string | undefined }
  /** Counted beside: they may be among either. */
  disabled: { name: string; value: number; to?: string | undefined }
}

/** How many of all were active in the range, as parts of one bar. */
export function ShareBar({ title, active, idle, disabled }: ShareBarProps) {
  const all = active.value + idle.value
  return (
    <div className={styles.share}>
      <h3>
        {title} <small>{t('{{part}} of {{all}} active', { part: active.value, all })}</small>
      </h3>
      <div className={styles.shareBar} aria-hidden="true">
        {all > 0 && <span style={{ width: `${(active.value / all) * 100}%` }} />}
      </div>
      <ul>
        {[active, idle, disabled].map(({ name, value, to }) => (
          <li key={name}>
            {name} {to && value > 0 ? <Link to={to}>{value}</Link> : <b>{value}</b>}
          </li>
        ))}
      </ul>
    </div>
  )
}
