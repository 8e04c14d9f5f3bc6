import type { Session } from '@sallyport/contract/resources/terminal/session.ts'
import { useQuery } from '@tanstack/react-query'
import type { CSSProperties } from 'react'
import { Link } from 'react-router'
import { Named } from '../../design/Named.tsx'
import type { ListPage } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { addressOf, listOf } from '../../navigation/routes.ts'
import { lastHours, sessionsOf } from './addresses.ts'
import { asked, useFigures } from './ask.ts'
import { Card } from './Card.tsx'
import styles from './dashboard.module.css'
import { BriefWhoWhere, Lines } from './Lines.tsx'

const DAYS = 7
const LATEST = 10

interface Ranked {
  id: string
  name: string
  total: number
  to: string | undefined
  /** Its sessions of the range. */
  sessions: string | undefined
}

/** The most active people or objects, each with its share of the first. */
function Ranking({ rows }: { rows: readonly Ranked[] }) {
  if (!rows.length) return <p className={styles.nothing}>{t('No sessions yet')}</p>
  const most = Math.max(...rows.map(({ total }) => total))
  return (
    <ol className={styles.ranking}>
      {rows.map(({ id, name, total, to, sessions }) => (
        <li key={id} style={{ '--share': `${(total / most) * 100}%` } as CSSProperties}>
          <span className={styles.ranked} title={name}>
            {to ? (
              <Link to={to}>
                <Named text={name} />
              </Link>
            ) : (
              <Named text={name} />
            )}
          </span>
          {sessions ? (
            <Link to={sessions} aria-label={t('{{count|session|sessions}} of {{name}}', { count: total, name })}>
              {total}
            </Link>
          ) : (
            <b>{total}</b>
          )}
        </li>
      ))}
    </ol>
  )
}

/** People with the most sessions of the week. */
export function MostActiveUsers() {
  const query = useFigures<{ dates_login_times_top10_users: { user_id: string; user: string; total: number }[] }>({
    dates_login_times_top10_users: 1,
  })
  return (
    <Card title={t('Most active users')} note={t('Sessions, last 7 days')} query={query} lines={6}>
      {({ dates_login_times_top10_users: rows }) => (
        <Ranking
          rows={rows.map(({ user_id, user, total }) => ({
            id: user_id,
            name: user,
            total,
            to: addressOf('UserDetail', { id: user_id }),
            sessions: sessionsOf(lastHours(DAYS), { user }),
          }))}
        />
      )}
    </Card>
  )
}

/** Machines with the most sessions of the week. */
export function MostUsedAssets() {
  const query = useFigures<{ dates_login_times_top10_assets: { asset: string; total: number }[] }>({
    dates_login_times_top10_assets: 1,
  })
  return (
    <Card title={t('Most used assets')} note={t('Sessions, last 7 days')} query={query} lines={6}>
      {({ dates_login_times_top10_assets: rows }) => (
        <Ranking
          rows={rows.map(({ asset, total }) => ({
            id: asset,
            name: asset,
            total,
            to: undefined,
            sessions: sessionsOf(lastHours(DAYS), { asset }),
          }))}
        />
      )}
    </Card>
  )
}

/** The newest sessions, running or not. */
export function LatestSessions() {
  const query = useQuery(asked<ListPage<Session>>('/api/v1/terminal/sessions/', { limit: LATEST }))
  return (
    <Card title={t('Latest sessions')} to={listOf('SessionList', { activeTab: 'AllList' })} query={query} lines={6}>
      {({ results }) =>
        results.length ? (
          <Lines
            lines={results.map((row) => ({
              id: row.id,
              to: addressOf('SessionDetail', { id: row.id }),
              main: <BriefWhoWhere user={row.user} asset={row.asset} />,
              when: row.date_start,
            }))}
          />
        ) : (
          <p className={styles.nothing}>{t('No sessions yet')}</p>
        )
      }
    </Card>
  )
}
