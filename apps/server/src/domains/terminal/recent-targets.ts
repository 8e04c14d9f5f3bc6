import type { TargetFamily } from '@sallyport/contract/target.ts'
import { sql } from 'drizzle-orm'
import { callerOf } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { formatDateTime } from '../../kernel/resource/datetime.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { connectable } from '../perms/index.ts'
import { terminalSession } from './tables.ts'

/** At most so many targets are answered. */
const SHOWN_MAX = 12
/** So many are asked about: some may not be granted any more. */
const ASKED_MAX = 50
/** So many of the person's last sessions are searched. */
const SESSIONS_MAX = 500

const ROWS = {
  fields: plainFields({
    target_family: 'string',
    target_id: 'string',
    system_user_id: 'string',
    asset: 'string',
    system_user: 'string',
    protocol: 'string',
    date_start: 'datetime',
  }),
}

interface RecentTarget {
  target: { family: TargetFamily; id: string }
  systemUserId: string
  asset: string
  system_user: string
  protocol: string
  date_start: Date
}

/**
 * GET recent-targets/: the last targets of the caller with their system users, the latest first.
 * Targets that the caller may no longer connect to are left out.
 */
export function registerRecentTargets({ app, db }: Kernel): void {
  app.route({
    method: 'GET',
    url: '/api/v1/terminal/recent-targets/',
    config: { access: ['authenticated'], summary: 'Targets of the last own sessions', rows: ROWS, answers: 'rows' },
    handler: async ({ call }) => {
      const userId = callerOf(call).id
      const allowed = await connectable(db, userId, await lastTargets(db, userId))
      return allowed.slice(0, SHOWN_MAX).map(({ target, systemUserId, date_start, ...names }) => ({
        target_family: target.family,
        target_id: target.id,
        system_user_id: systemUserId,
        ...names,
        date_start: formatDateTime(date_start, call.timeZone),
      }))
    },
  })
}

async function lastTargets(db: Database, userId: string): Promise<RecentTarget[]> {
  const { rows } = await db.execute<{
    target_family: TargetFamily
    asset_id: string
    system_user_id: string
    asset: string
    system_user: string
    protocol: string
    date_start: string
  }>(sql`
    WITH last AS MATERIALIZED (
      SELECT target_family, asset_id, system_user_id, asset, "system_user", protocol, date_start
      FROM ${terminalSession} WHERE user_id = ${userId} ORDER BY date_start DESC LIMIT ${SESSIONS_MAX}
    ), once AS (
      SELECT DISTINCT ON (target_family, asset_id, system_user_id) * FROM last
      ORDER BY target_family, asset_id, system_user_id, date_start DESC
    )
    SELECT * FROM once ORDER BY date_start DESC LIMIT ${ASKED_MAX}`)
  return rows.map(({ target_family: family, asset_id: id, system_user_id: systemUserId, date_start, ...names }) => ({
    target: { family, id },
    systemUserId,
    ...names,
    date_start: new Date(date_start),
  }))
}
