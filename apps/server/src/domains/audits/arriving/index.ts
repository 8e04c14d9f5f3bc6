import { type SQL, sql } from 'drizzle-orm'
import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { arriveHistory } from '../../../kernel/arrivals/history.ts'
import { cityOf } from '../city.ts'
import { auditsFtpLog, auditsLoginLog, auditsOperateLog, auditsPasswordChangeLog } from '../tables.ts'

type Rows = readonly ArrivingRow[]

/** Sign-ins elsewhere. The city is that of the address here, as sign-ins are compared by it. */
export const arriveLoginLogs = async (run: ArrivalRun, rows: Rows): Promise<Outcomes> =>
  arriveHistory(
    run,
    auditsLoginLog,
    (await withOrganizations(run, rows)).map((row) => ({
      ...row,
      values: { ...row.values, city: cityOf(String(row.values.ip)) },
    })),
  )

export const arriveOperateLogs = (run: ArrivalRun, rows: Rows): Promise<Outcomes> =>
  arriveHistory(run, auditsOperateLog, rows)

export const arriveFtpLogs = (run: ArrivalRun, rows: Rows): Promise<Outcomes> => arriveHistory(run, auditsFtpLog, rows)

export const arrivePasswordChangeLogs = async (run: ArrivalRun, rows: Rows): Promise<Outcomes> =>
  arriveHistory(run, auditsPasswordChangeLog, await withOrganizations(run, rows))

/** Those who may read the row: where its person belongs today, since nobody knows where it was then. */
async function withOrganizations({ db }: ArrivalRun, rows: Rows): Promise<ArrivingRow[]> {
  const people = [...new Set(rows.flatMap(({ values }) => (values.user_id ? [String(values.user_id)] : [])))]
  const { rows: found } = await db.execute<{ user_id: string; org_ids: string[] }>(sql`
    SELECT m.user_id::text AS user_id, array_agg(DISTINCT m.org_id::text) AS org_ids FROM orgs_membership m
    WHERE m.user_id = ANY (${sql.param(people)}::uuid[]) GROUP BY m.user_id`)
  const organizations = new Map(found.map(({ user_id, org_ids }) => [user_id, org_ids]))
  return rows.map((row) => ({
    ...row,
    values: { ...row.values, org_ids: organizations.get(String(row.values.user_id)) ?? [] },
  }))
}

const LOGS = [auditsLoginLog, auditsOperateLog, auditsFtpLog, auditsPasswordChangeLog]

/** How many rows of logs have come from a product. */
export async function arrivedLogs({ db }: Pick<ArrivalRun, 'db'>, product: string): Promise<number> {
  const counts = LOGS.map((log) => sql`(SELECT count(*) FROM ${log} WHERE arrived_from = ${product})`)
  const { rows } = await db.execute<{ count: number }>(sql`SELECT (${sql.join(counts, sql` + `)})::int AS count`)
  return rows[0]?.count ?? 0
}

/** SQL: whether logs have rows of an organization. */
export const hasLogs = (org: SQL): SQL => sql`(EXISTS (SELECT 1 FROM audits_operate_log o WHERE o.org_id = ${org})
  OR EXISTS (SELECT 1 FROM audits_ftp_log f WHERE f.org_id = ${org}))`
