import { isRoot } from '../../kernel/access/call.ts'
import type { Language } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { formatDateTime } from '../../kernel/resource/datetime.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import {
  activity,
  assetCounts,
  days,
  latestSessions,
  memberCounts,
  type Scope,
  topAssets,
  topUsers,
  totals,
} from './metrics.ts'
import { timeSince } from './time-since.ts'

type Figures = Record<string, unknown>
interface Viewer {
  language: Language
  timeZone: string
}

/**
 * Groups of figures (docs/rules/dashboard.md#overview): which query parameters ask for each, and
 * how it is computed, with one query or two.
 */
const GROUPS: readonly {
  askedBy: readonly string[]
  load(db: Kernel['db'], scope: Scope, viewer: Viewer): Promise<Figures>
}[] = [
  {
    askedBy: ['dates_metrics'],
    async load(db, scope) {
      const rows = await days(db, scope)
      return {
        dates_metrics_date: rows.map((row) => row.date),
        dates_metrics_total_count_login: rows.map((row) => row.logins),
        dates_metrics_total_count_active_users: rows.map((row) => row.users),
        dates_metrics_total_count_active_assets: rows.map((row) => row.assets),
      }
    },
  },
  {
    askedBy: ['dates_total_count_users'],
    async load(db, scope) {
      const [active, members] = await Promise.all([activity(db, scope), memberCounts(db, scope)])
      return {
        dates_total_count_active_users: active.users,
        dates_total_count_inactive_users: Math.max(0, members.all - active.users),
        dates_total_count_disabled_users: members.disabled,
      }
    },
  },
  {
    askedBy: ['dates_total_count_assets'],
    async load(db, scope) {
      const [active, assets] = await Promise.all([activity(db, scope), assetCounts(db, scope)])
      return {
        dates_total_count_active_assets: active.assets,
        dates_total_count_inactive_assets: Math.max(0, assets.all - active.assets),
        dates_total_count_disabled_assets: assets.disabled,
      }
    },
  },
  {
    askedBy: ['dates_total_count'],
    async load(db, scope) {
      const { users, sessions } = await activity(db, scope)
      return { dates_total_count_login_users: users, dates_total_count_login_times: sessions }
    },
  },
  {
    askedBy: ['dates_login_times_top5_users'],
    load: async (db, scope) => ({
      dates_login_times_top5_users: (await topUsers(db, scope, 5)).map(({ user_id, total }) => ({
        user: user_id,
        total,
      })),
    }),
  },
  {
    askedBy: ['dates_login_times_top10_assets'],
    load: async (db, scope, { timeZone }) => ({
      dates_login_times_top10_assets: (await topAssets(db, scope, 10)).map((row) => ({
        ...row,
        last: plainDate(row.last, timeZone),
      })),
    }),
  },
  {
    askedBy: ['dates_login_times_top10_users'],
    load: async (db, scope, { timeZone }) => ({
      dates_login_times_top10_users: (await topUsers(db, scope, 10)).map((row) => ({
        ...row,
        last: plainDate(row.last, timeZone),
      })),
    }),
  },
  {
    askedBy: ['dates_login_record_top10_sessions'],
    load: async (db, scope, { timeZone, language }) => ({
      dates_login_record_top10_sessions: (await latestSessions(db, scope, 10)).map((row) => ({
        ...row,
        date_start: plainDate(row.date_start, timeZone),
        timesince: timeSince(new Date(row.date_start), language),
      })),
    }),
  },
]

const TOTALS = [
  'total_count_users',
  'total_count_assets',
  'total_count_online_users',
  'total_count_online_sessions',
] as const

async function loadTotals(
  db: Kernel['db'],
  scope: Scope,
  wanted: readonly (typeof TOTALS)[number][],
): Promise<Figures> {
  const { users, assets, online_users, online_sessions } = await totals(db, scope)
  const figures = {
    total_count_users: users,
    total_count_assets: assets,
    total_count_online_users: online_users,
    total_count_online_sessions: online_sessions,
  }
  return Object.fromEntries(wanted.map((name) => [name, figures[name]]))
}

/** Unlike anywhere else: with dashes and without a zone, `2026-11-21 07:08:09`. */
const plainDate = (date: Date | string, timeZone: string) =>
  formatDateTime(new Date(date), timeZone).slice(0, 19).replaceAll('/', '-')

/** GET /api/v1/index/: only the groups that are asked for. */
export function registerOverview(kernel: Kernel): void {
  const { app, db } = kernel
  app.route({
    method: 'GET',
    url: '/api/v1/index/',
    config: { access: ['org_auditor'], summary: 'Dashboard figures' },
    handler: async (request) => {
      const { call, query } = contextOf(kernel, request)
      const scope: Scope = {
        orgId: isRoot(call) ? undefined : call.org.id,
        days: query.monthly ? 30 : 7,
        timeZone: call.timeZone,
      }
      const asks = (...words: string[]) => Boolean(query.all) || words.some((word) => query[word])
      const wantedTotals = TOTALS.filter((name) => asks('total_count', name))
      const groups = GROUPS.filter(({ askedBy }) => asks(...askedBy))
      return Object.assign(
        {},
        ...(await Promise.all([
          wantedTotals.length ? loadTotals(db, scope, wantedTotals) : {},
          ...groups.map(({ load }) => load(db, scope, call)),
        ])),
      )
    },
  })
}
