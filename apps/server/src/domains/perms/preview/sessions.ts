import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Look } from '../../../kernel/resource/preview/parts.ts'
import { grantFamilies } from '../families.ts'
import { fitConditions } from '../may-connect.ts'
import type { State } from './sides.ts'
import { opens, waysTo } from './ways-to.ts'

const live = (state: State): SQL => sql.raw(`preview_live_${state}`)
const liveKey = (state: State): SQL => sql.raw(`preview_live_key_${state}`)

/**
 * Keeps which of the live sessions have their right in this state, as the gateway will ask for it
 * (gateway/supervision.ts): of all of them, since they are few.
 * @param orgId only sessions in this organization; undefined: in all
 */
export async function keepLive(db: Database, state: State, orgId: string | undefined): Promise<void> {
  const usable = grantFamilies().map((family) => {
    const { isActive, isOfSameOrg, fits, isValidPerson, isWithinLimit } = fitConditions(family)
    return sql`
      SELECT DISTINCT u.id AS person, t.id AS target, s.id AS account, ${family.family}::text AS family
      FROM terminal_listed_session l
      JOIN users_account u ON u.id::text = l.user_id
      JOIN ${family.targets} t ON t.id::text = l.asset_id
      JOIN assets_listed_system_user s ON s.id::text = l.system_user_id
      WHERE NOT l.is_finished AND l.target_family = ${family.family}${orgId ? sql` AND l.org_id = ${orgId}::uuid` : sql``}
        AND ${sql.join([isActive, isOfSameOrg, fits, isValidPerson, isWithinLimit], sql` AND `)}
        AND EXISTS (SELECT 1 FROM orgs_membership om WHERE om.user_id = u.id AND om.org_id = t.org_id)`
  })
  await db.execute(sql`CREATE TEMP TABLE ${liveKey(state)} ON COMMIT DROP AS ${sql.join(usable, sql` UNION ALL `)}`)
  const ways = await waysTo(db, { key: liveKey(state), orgId })
  await db.execute(sql`
    CREATE TEMP TABLE ${live(state)} ON COMMIT DROP AS
    SELECT person, target, account, bit_or(actions) AS mask FROM (${ways}) way GROUP BY 1, 2, 3`)
}

/** Whether there is a live session at all. */
export async function hasLive(db: Database, orgId: string | undefined): Promise<boolean> {
  const { rows } = await db.execute(sql`
    SELECT 1 FROM terminal_listed_session WHERE NOT is_finished${orgId ? sql` AND org_id = ${orgId}::uuid` : sql``} LIMIT 1`)
  return rows.length > 0
}

/** The live sessions that have their right before the write and not after it. */
export async function endingSessions({ db, page }: Look) {
  const has = (state: State) => sql`EXISTS (SELECT 1 FROM ${live(state)} r WHERE r.person::text = l.user_id
    AND r.target::text = l.asset_id AND r.account::text = l.system_user_id AND ${opens(sql`r.mask`)})`
  const { rows } = await db.execute<{
    id: string
    user: string
    asset: string
    system_user: string
    protocol: string
    count: number
  }>(sql`
    SELECT l.id, l."user", l.asset, l."system_user", l.protocol, count(*) OVER ()::int AS count
    FROM terminal_listed_session l WHERE NOT l.is_finished AND ${has('before')} AND NOT ${has('after')}
    ORDER BY l.date_start, l.id LIMIT ${page.limit} OFFSET ${page.offset}`)
  return { count: rows[0]?.count ?? 0, rows: rows.map(({ count: _, ...row }) => row) }
}
