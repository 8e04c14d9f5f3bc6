import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { assetCount, assetsListedAsset } from '../assets/index.ts'
import { orgsMembership } from '../orgs/index.ts'
import { terminalListedSession } from '../terminal/index.ts'
import { usersPerson } from '../users/index.ts'

/** The subject of the figures. */
export interface Scope {
  /** One organization; undefined: all of them. */
  orgId: string | undefined
  /** Length of the range, counted back from now. */
  days: number
  /** The viewer's zone, in which days begin. */
  timeZone: string
}

const inOrg = ({ orgId }: Scope, alias = 's'): SQL =>
  orgId ? sql`${sql.raw(alias)}.org_id = ${orgId}::uuid` : sql`true`
const recent = (scope: Scope): SQL =>
  sql`${inOrg(scope)} AND s.date_start >= now() - make_interval(hours => ${scope.days * 24})`
const people = ({ orgId }: Scope): SQL =>
  orgId
    ? sql`EXISTS (SELECT 1 FROM ${orgsMembership} m WHERE m.user_id = u.id AND m.org_id = ${orgId}::uuid)`
    : sql`true`

async function one<T extends Record<string, unknown>>(db: Database, query: SQL): Promise<T> {
  const { rows } = await db.execute<T>(query)
  if (!rows[0]) throw new Error('an aggregate always answers one row')
  return rows[0] as T
}

/** The four figures at the top; `online_…` count open sessions. */
export async function totals(db: Database, scope: Scope) {
  const [assets, counts] = await Promise.all([
    assetCount(db, scope.orgId),
    one<{ users: number; online_users: number; online_sessions: number }>(
      db,
      sql`SELECT (SELECT count(*)::int FROM ${usersPerson} u WHERE ${people(scope)}) AS users,
        count(DISTINCT s.user_id)::int AS online_users, count(*)::int AS online_sessions
        FROM ${terminalListedSession} s WHERE NOT s.is_finished AND ${inOrg(scope)}`,
    ),
  ])
  return { ...counts, assets }
}

export interface Day extends Record<string, unknown> {
  date: string
  logins: number
  users: number
  assets: number
}

/**
 * One row for each calendar day of the viewer's zone, oldest first, today last; `date` is month and
 * day, `11-21`. Where days begin is worked out here: PostgreSQL knows other zones than Node, and
 * reads offsets the other way round.
 */
export async function days(db: Database, scope: Scope): Promise<Day[]> {
  const today = Temporal.Now.plainDateISO(scope.timeZone)
  const dates = Array.from({ length: scope.days }, (_, n) => today.subtract({ days: scope.days - 1 - n }))
  const startOf = (date: Temporal.PlainDate) =>
    date.toZonedDateTime(scope.timeZone).toInstant().toString({ smallestUnit: 'second' })
  const each = dates.map(
    (date, n) =>
      sql`(${n}::int, ${date.toString().slice(-5)}, ${startOf(date)}::timestamptz, ${startOf(date.add({ days: 1 }))}::timestamptz)`,
  )
  const { rows } = await db.execute<Day>(sql`
    SELECT day.date, count(s.id)::int AS logins, count(DISTINCT s.user_id)::int AS users, count(DISTINCT s.asset)::int AS assets
    FROM (VALUES ${sql.join(each, sql`, `)}) AS day (n, date, starts, ends)
      LEFT JOIN ${terminalListedSession} s ON s.date_start >= day.starts AND s.date_start < day.ends AND ${inOrg(scope)}
    GROUP BY day.n, day.date ORDER BY day.n`)
  return rows
}

/** Distinct people and targets in the range, and the number of sessions. */
export const activity = (db: Database, scope: Scope) =>
  one<{ users: number; assets: number; sessions: number }>(
    db,
    sql`SELECT count(DISTINCT s.user_id)::int AS users, count(DISTINCT s.asset)::int AS assets, count(*)::int AS sessions FROM ${terminalListedSession} s WHERE ${recent(scope)}`,
  )

/** Members, and those who can't sign in. */
export const memberCounts = (db: Database, scope: Scope) =>
  one<{ all: number; disabled: number }>(
    db,
    sql`SELECT count(*)::int AS all, (count(*) FILTER (WHERE NOT u.is_active))::int AS disabled FROM ${usersPerson} u WHERE ${people(scope)}`,
  )

/** Assets, and those that are inactive. */
export async function assetCounts(db: Database, scope: Scope): Promise<{ all: number; disabled: number }> {
  const [all, { disabled }] = await Promise.all([
    assetCount(db, scope.orgId),
    one<{ disabled: number }>(
      db,
      sql`SELECT count(*)::int AS disabled FROM ${assetsListedAsset} a WHERE NOT a.is_active AND ${inOrg(scope, 'a')}`,
    ),
  ])
  return { all, disabled }
}

interface TopUser extends Record<string, unknown> {
  user_id: string
  user: string
  total: number
  last: Date | string
}

/** The people with most sessions in the range, written as in the newest of them. */
export async function topUsers(db: Database, scope: Scope, limit: number): Promise<TopUser[]> {
  const { rows } = await db.execute<TopUser>(sql`
    SELECT s.user_id, (array_agg(s."user" ORDER BY s.date_start DESC))[1] AS "user", count(*)::int AS total, max(s.date_start) AS last
    FROM ${terminalListedSession} s WHERE ${recent(scope)} GROUP BY s.user_id ORDER BY total DESC, last DESC LIMIT ${limit}`)
  return rows
}

interface TopAsset extends Record<string, unknown> {
  asset: string
  total: number
  last: Date | string
}

/** Where most sessions of the range went. */
export async function topAssets(db: Database, scope: Scope, limit: number): Promise<TopAsset[]> {
  const { rows } = await db.execute<TopAsset>(sql`
    SELECT s.asset, count(*)::int AS total, max(s.date_start) AS last
    FROM ${terminalListedSession} s WHERE ${recent(scope)} GROUP BY s.asset ORDER BY total DESC, last DESC LIMIT ${limit}`)
  return rows
}

interface LatestSession extends Record<string, unknown> {
  user: string
  asset: string
  is_finished: boolean
  date_start: Date | string
}

/** The newest sessions of the range. */
export async function latestSessions(db: Database, scope: Scope, limit: number): Promise<LatestSession[]> {
  const { rows } = await db.execute<LatestSession>(sql`
    SELECT s."user", s.asset, s.is_finished, s.date_start FROM ${terminalListedSession} s WHERE ${recent(scope)} ORDER BY s.date_start DESC, s.id DESC LIMIT ${limit}`)
  return rows
}
