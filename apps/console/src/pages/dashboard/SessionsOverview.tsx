import { ChartColumnIcon } from 'lucide-react'
import { useState } from 'react'
import { Toggle } from '../../design/Button.tsx'
import { EmptyState } from '../../design/EmptyState.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { msg, t } from '../../lib/i18n.ts'
import { addDays } from '../../lib/time/date-range.ts'
import { listOf } from '../../navigation/routes.ts'
import { dayOf, lastHours, sessionsOf } from './addresses.ts'
import { useFigures } from './ask.ts'
import { DayBars } from './DayBars.tsx'
import styles from './dashboard.module.css'
import { ShareBar } from './ShareBar.tsx'

interface Days {
  dates_metrics_date: string[]
  dates_metrics_total_count_login: number[]
  dates_metrics_total_count_active_users: number[]
  dates_metrics_total_count_active_assets: number[]
}

const SPANS = [
  { days: 7, label: msg('Weekly') },
  { days: 30, label: msg('Monthly') },
] as const

/**
 * Sessions, people and machines by day, and who was active at all
 * (docs/rules/dashboard.md#overview).
 */
export function SessionsOverview() {
  const [span, setSpan] = useState<number>(SPANS[0].days)
  const monthly = span > SPANS[0].days ? { monthly: 1 } : {}
  const byDay = useFigures<Days>({ dates_metrics: 1, ...monthly })
  const sums = useFigures<Record<string, number>>({
    dates_total_count: 1,
    dates_total_count_users: 1,
    dates_total_count_assets: 1,
    ...monthly,
  })
  const error = byDay.error ?? sums.error
  const retry = () => void Promise.all([byDay.refetch(), sums.refetch()])
  return (
    <section className={`panel ${styles.overview}`}>
      <h2>
        {t('Sessions overview')}
        <Toggle
          value={span}
          choices={SPANS.map(({ days, label }) => ({ value: days, label: t(label) }))}
          onChange={setSpan}
        />
      </h2>
      <div className="inside">
        {byDay.data && sums.data ? (
          <Charts days={byDay.data} sums={sums.data} />
        ) : error ? (
          <LoadFailed error={error} onRetry={retry} />
        ) : (
          <Skeleton lines={6} />
        )}
      </div>
    </section>
  )
}

function Charts({ days, sums }: { days: Days; sums: Readonly<Record<string, number>> }) {
  const count = days.dates_metrics_date.length
  const valuesOf = (values: readonly number[]) =>
    values.map((value, at) => {
      const day = addDays(new Date(new Date().setHours(0, 0, 0, 0)), at + 1 - count)
      return { day, value, to: sessionsOf(dayOf(day)) }
    })
  const sum = (name: string) => sums[name] ?? 0
  const ofRange = sessionsOf(lastHours(count))
  return (
    <>
      {sum('dates_total_count_login_times') === 0 ? (
        <EmptyState icon={<ChartColumnIcon />} title={t('No sessions in this period')} />
      ) : (
        <>
          <div className={styles.charts}>
            <DayBars
              title={t('Sessions@@figure')}
              total={sums.dates_total_count_login_times}
              to={ofRange}
              days={valuesOf(days.dates_metrics_total_count_login)}
            />
            <DayBars
              title={t('Active users')}
              total={sums.dates_total_count_active_users}
              to={ofRange}
              days={valuesOf(days.dates_metrics_total_count_active_users)}
            />
            <DayBars
              title={t('Active assets')}
              total={sums.dates_total_count_active_assets}
              to={ofRange}
              days={valuesOf(days.dates_metrics_total_count_active_assets)}
            />
          </div>
          <p className={styles.legend}>
            <i aria-hidden="true" /> {t('Today is not over: its bar still grows')}
          </p>
        </>
      )}
      <div className={styles.shares}>
        <ShareBar
          title={t('Users@@figure')}
          active={{ name: t('Active@@share'), value: sum('dates_total_count_active_users'), to: ofRange }}
          idle={{ name: t('Not used@@share'), value: sum('dates_total_count_inactive_users') }}
          disabled={{
            name: t('Disabled@@share'),
            value: sum('dates_total_count_disabled_users'),
            to: listOf('UserList', { is_active: 'false' }),
          }}
        />
        <ShareBar
          title={t('Assets@@figure')}
          active={{ name: t('Active@@share'), value: sum('dates_total_count_active_assets'), to: ofRange }}
          idle={{ name: t('Not used@@share'), value: sum('dates_total_count_inactive_assets') }}
          disabled={{
            name: t('Disabled@@share'),
            value: sum('dates_total_count_disabled_assets'),
            to: listOf('AssetList', { is_active: 'false' }),
          }}
        />
      </div>
    </>
  )
}
