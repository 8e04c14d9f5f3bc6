import { Link } from 'react-router'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { msg, t } from '../../lib/i18n.ts'
import { listOf } from '../../navigation/routes.ts'
import { runningSessions } from './addresses.ts'
import { NOW_MS, useFigures } from './ask.ts'
import styles from './dashboard.module.css'

const FIGURES = [
  { field: 'total_count_online_sessions', title: msg('Live sessions'), to: runningSessions },
  { field: 'total_count_online_users', title: msg('People connected'), to: runningSessions },
  { field: 'total_count_users', title: msg('Users@@figure'), to: () => listOf('UserList') },
  { field: 'total_count_assets', title: msg('Assets@@figure'), to: () => listOf('AssetList') },
] as const

/** The four numbers at the top; nothing is shown as a number before it is known. */
export function Figures() {
  const { data, error, refetch } = useFigures<Record<string, number>>({ total_count: 1 }, NOW_MS)
  if (error && !data)
    return (
      <div className="panel">
        <LoadFailed error={error} onRetry={() => void refetch()} />
      </div>
    )
  return (
    <dl className={`panel ${styles.figures}`}>
      {FIGURES.map(({ field, title, to }) => {
        const address = to()
        const value = data?.[field]
        return (
          <div key={field}>
            <dt>{t(title)}</dt>
            <dd>
              {value === undefined ? (
                <span className="skeleton-line" role="status" aria-label={t('Loading')} />
              ) : address ? (
                <Link to={address} aria-description={t(title)}>
                  {value}
                </Link>
              ) : (
                value
              )}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
