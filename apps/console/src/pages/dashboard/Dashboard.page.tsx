import { PERMISSION } from '@sallyport/contract/access.ts'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Link } from 'react-router'
import { api, errorText, type Query } from '../../lib/api.ts'
import { formatDate } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { session } from '../../session/session.ts'
import type { PageProps } from '../page-props.ts'
import { FirstRun } from './first-run/FirstRun.tsx'
import { RingLegend } from './RingLegend.tsx'

export const routes = places({
  name: 'Dashboard',
  menu: 'admin-top',
  title: msg('Dashboard'),
  icon: 'dashboard',
  path: '/dashboard',
  bits: PERMISSION.audit,
  affix: true,
})

const PATH = '/api/v1/index/'
// The chart library is heavy and no other page needs it.
const LineChart = lazy(() => import('./charts.tsx').then((m) => ({ default: m.LineChart })))
const RingChart = lazy(() => import('./charts.tsx').then((m) => ({ default: m.RingChart })))

function useFigures<T>(query: Query) {
  return useQuery({
    queryKey: keys.list(PATH, query),
    queryFn: ({ signal }) => api.get<T>(PATH, { query, signal, quiet: true }),
  })
}

/** Start page of the admin side (spec A2.07). */
export function Dashboard({ title }: PageProps) {
  return (
    <PageFrame title={title}>
      <div className="dashboard">
        <FirstRun />
        <Totals />
        <Overview />
        <div className="thirds">
          <TopUsers />
          <TopAssets />
          <LatestSessions />
        </div>
      </div>
    </PageFrame>
  )
}

const CARDS = [
  { field: 'total_count_users', title: msg('Users total'), comment: msg('All users'), route: 'UserList', tab: '' },
  { field: 'total_count_assets', title: msg('Asset total'), comment: msg('All assets'), route: 'AssetList', tab: '' },
  {
    field: 'total_count_online_users',
    title: msg('Online users'),
    comment: msg('With an open session'),
    route: 'SessionList',
    tab: '?activeTab=OnlineList',
  },
  {
    field: 'total_count_online_sessions',
    title: msg('Online sessions'),
    comment: msg('Open now'),
    route: 'SessionList',
    tab: '?activeTab=OnlineList',
  },
] as const

function Totals() {
  const figures = useFigures<Record<string, number>>({ total_count: 1 })
  return (
    <div className="cards">
      {CARDS.map(({ field, title, comment, route, tab }) => {
        const address = addressOf(route)
        const body = (
          <>
            <h2>{t(title)}</h2>
            <strong>{figures.data?.[field] ?? (figures.isError ? '-' : '·')}</strong>
            <span>{t(comment)}</span>
          </>
        )
        return address ? (
          <Link key={field} className="panel card" to={address + tab}>
            {body}
          </Link>
        ) : (
          <div key={field} className="panel card">
            {body}
          </div>
        )
      })}
    </div>
  )
}

interface Days {
  dates_metrics_date: string[]
  dates_metrics_total_count_login: number[]
  dates_metrics_total_count_active_users: number[]
  dates_metrics_total_count_active_assets: number[]
}

const SPANS = [
  { value: 'weekly', label: msg('Weekly') },
  { value: 'monthly', label: msg('Monthly') },
] as const

function Overview() {
  const [span, setSpan] = useState<'weekly' | 'monthly'>('weekly')
  const monthly = span === 'monthly' ? { monthly: 1 } : {}
  const days = useFigures<Days>({ dates_metrics: 1, ...monthly })
  const ratios = useFigures<Record<string, number>>({
    dates_total_count_users: 1,
    dates_total_count_assets: 1,
    ...monthly,
  })
  const users = [
    { name: t('User active'), value: ratios.data?.dates_total_count_active_users ?? 0 },
    { name: t('User disabled'), value: ratios.data?.dates_total_count_disabled_users ?? 0 },
    { name: t('User not visit'), value: ratios.data?.dates_total_count_inactive_users ?? 0 },
  ]
  const assets = [
    { name: t('Asset active'), value: ratios.data?.dates_total_count_active_assets ?? 0 },
    { name: t('Asset disabled'), value: ratios.data?.dates_total_count_disabled_assets ?? 0 },
    { name: t('Asset not visited'), value: ratios.data?.dates_total_count_inactive_assets ?? 0 },
  ]
  const waiting = <div className="chart loading">{t('Loading')}</div>
  return (
    <section className="panel overview">
      <header>
        <h2>{t('Sessions overview')}</h2>
        <div className="toggle">
          {SPANS.map(({ value, label }) => (
            <button key={value} type="button" aria-pressed={span === value} onClick={() => setSpan(value)}>
              {t(label)}
            </button>
          ))}
        </div>
      </header>
      <div className="charts">
        <div className="line">
          {days.isError ? (
            <p role="alert">{errorText(days.error)}</p>
          ) : days.data ? (
            <Suspense fallback={waiting}>
              <LineChart
                label={t('Sessions overview')}
                x={days.data.dates_metrics_date}
                series={[
                  { name: t('Login count'), values: days.data.dates_metrics_total_count_login },
                  { name: t('Active users'), values: days.data.dates_metrics_total_count_active_users },
                  { name: t('Active assets'), values: days.data.dates_metrics_total_count_active_assets },
                ]}
              />
            </Suspense>
          ) : (
            waiting
          )}
        </div>
        <div className="rings">
          <h3>{t('User, Asset active ratio')}</h3>
          {ratios.isError ? (
            <p role="alert">{errorText(ratios.error)}</p>
          ) : (
            [
              { label: t('User'), slices: users },
              { label: t('Asset'), slices: assets },
            ].map(({ label, slices }) => (
              <div className="ring" key={label}>
                {ratios.data && (
                  <Suspense fallback={<div className="ring-chart" />}>
                    <RingChart label={label} slices={slices} />
                  </Suspense>
                )}
                <RingLegend label={label} slices={slices} />
              </div>
            ))
          )}
        </div>
      </div>
    </section>
  )
}

interface Top {
  user_id?: string
  user?: string
  asset?: string
  total: number
}

function TopList({
  title,
  rows,
  failure,
  name,
}: {
  title: string
  rows: Top[] | undefined
  failure: Error | null
  name: 'user' | 'asset'
}) {
  return (
    <section className="panel">
      <h2>{title}</h2>
      <div className="inside">
        {failure ? (
          <p role="alert">{errorText(failure)}</p>
        ) : !rows ? (
          <span className="loading">{t('Loading')}</span>
        ) : rows.length === 0 ? (
          <p className="nothing">{t('No sessions yet')}</p>
        ) : (
          <ol className="top-list">
            {rows.map((row) => (
              <li key={row.user_id ?? row[name]}>
                <span title={row[name]}>{row[name]}</span>
                <b>
                  {row.total} <small>{t('times/week')}</small>
                </b>
              </li>
            ))}
          </ol>
        )}
      </div>
    </section>
  )
}

function TopUsers() {
  const { data, error } = useFigures<{ dates_login_times_top10_users: Top[] }>({ dates_login_times_top10_users: 1 })
  return (
    <TopList title={t('Top user of week')} rows={data?.dates_login_times_top10_users} failure={error} name="user" />
  )
}

function TopAssets() {
  const { data, error } = useFigures<{ dates_login_times_top10_assets: Top[] }>({ dates_login_times_top10_assets: 1 })
  return (
    <TopList title={t('Top assets of week')} rows={data?.dates_login_times_top10_assets} failure={error} name="asset" />
  )
}

interface Latest {
  user: string
  asset: string
  date_start: string
  timesince: string
}

function LatestSessions() {
  const { data, error } = useFigures<{ dates_login_record_top10_sessions: Latest[] }>({
    dates_login_record_top10_sessions: 1,
  })
  const rows = data?.dates_login_record_top10_sessions
  let body: ReactNode
  if (error) body = <p role="alert">{errorText(error)}</p>
  else if (!rows) body = <span className="loading">{t('Loading')}</span>
  else if (rows.length === 0) body = <FirstSteps />
  else
    body = (
      <ul className="latest">
        {rows.map((row) => (
          <li key={`${row.user} ${row.asset} ${row.date_start}`}>
            <span className="when">{row.timesince}</span>
            <b>{row.user}</b>
            <span>
              {t('Login to')} {row.asset}
            </span>
            <small>{formatDate(row.date_start.replace(' ', 'T'))}</small>
          </li>
        ))}
      </ul>
    )
  return (
    <section className="panel">
      <h2>{t('Latest sessions top 10')}</h2>
      <div className="inside">{body}</div>
    </section>
  )
}

/** What to do before there is anything to count. */
function FirstSteps() {
  const admin = (session().bits & PERMISSION.admin) !== 0
  const steps = [
    { route: 'AssetCreate', text: t('Add an asset') },
    { route: 'SystemUserList', text: t('Add a system user: the account on the asset') },
    { route: 'AssetPermissionCreate', text: t('Permit somebody to use both') },
  ]
  if (!admin) return <p className="nothing">{t('No sessions yet')}</p>
  return (
    <>
      <p className="nothing">{t('No sessions yet. To have the first one:')}</p>
      <ol className="steps">
        {steps.map(({ route, text }) => {
          const address = addressOf(route)
          return <li key={route}>{address ? <Link to={address}>{text}</Link> : text}</li>
        })}
      </ol>
    </>
  )
}

export const pages = { Dashboard }
