import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { TicketType } from '@sallyport/contract/resources/tickets/ticket-types.ts'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { ticketsFlow, ticketsFlowRule } from './tables.ts'

/** Somebody who decides. */
export interface Approver {
  id: string
  name: string
  username: string
}

/** SQL: whether somebody, `u`, can decide: people who can sign in, and no service identities. */
const decides = sql`u.is_valid AND u.source <> 'service'`

/**
 * Whom the rules of flows mean at this moment, by flow and level
 * (docs/rules/tickets.md#ticket_flow). People chosen by name count while they belong to the
 * organization or administer all of them; the administrators of a global flow are the system's.
 */
export async function approversOfFlows(
  db: Database,
  flowIds: readonly string[],
): Promise<(flow: string, level: number) => Approver[]> {
  const { rows } = await db.execute<{ flow_id: string; level: number } & Approver & Record<string, unknown>>(sql`
    SELECT r.flow_id, r.level, u.id, u.name, u.username
    FROM tickets_flow_rule r JOIN tickets_flow f ON f.id = r.flow_id
    CROSS JOIN LATERAL (
      SELECT a.id FROM users_person a WHERE a.role = 'Admin'
        AND (r.strategy IN ('super_admin', 'super_org_admin') OR (r.strategy = 'org_admin' AND f.org_id = ${ROOT_ORG_ID}))
      UNION
      SELECT m.user_id FROM orgs_membership m WHERE m.org_id = f.org_id AND m.role = 'Admin' AND r.strategy IN ('org_admin', 'super_org_admin')
      UNION
      SELECT c.user_id FROM tickets_flow_assignee c JOIN users_person a ON a.id = c.user_id
        WHERE c.flow_id = r.flow_id AND c.level = r.level AND r.strategy = 'custom_user'
        AND (a.role = 'Admin' OR EXISTS (SELECT 1 FROM orgs_membership m WHERE m.user_id = a.id AND m.org_id = f.org_id))
    ) meant
    JOIN users_person u ON u.id = meant.id
    WHERE r.flow_id = ANY(${sql.param([...flowIds])}::uuid[]) AND ${decides}
    ORDER BY u.name, u.id`)
  const byRule = Map.groupBy(rows, ({ flow_id, level }) => `${flow_id} ${level}`)
  return (flow, level) =>
    (byRule.get(`${flow} ${level}`) ?? []).map(({ id, name, username }) => ({ id, name, username }))
}

/**
 * The people who decide on tickets of a type in an organization, level by level: by its own flow,
 * else the global one; undefined where there is neither. A level whose rule means nobody falls to
 * the system administrators, since nobody else could ever decide it.
 */
export async function approversOf(db: Database, orgId: string, type: TicketType): Promise<Approver[][] | undefined> {
  const [flow] = await db
    .select({ id: ticketsFlow.id })
    .from(ticketsFlow)
    .where(and(eq(ticketsFlow.type, type), inArray(ticketsFlow.org_id, [orgId, ROOT_ORG_ID])))
    .orderBy(sql`${ticketsFlow.org_id} = ${ROOT_ORG_ID}`)
    .limit(1)
  if (!flow) return undefined
  const rules = await db
    .select({ level: ticketsFlowRule.level })
    .from(ticketsFlowRule)
    .where(eq(ticketsFlowRule.flow_id, flow.id))
    .orderBy(asc(ticketsFlowRule.level))
  const meant = await approversOfFlows(db, [flow.id])
  const levels = rules.map(({ level }) => meant(flow.id, level))
  if (levels.every((people) => people.length)) return levels
  const administrators = await systemAdministrators(db)
  return levels.map((people) => (people.length ? people : administrators))
}

/** Those of these people who can still decide; if none can, the system administrators. */
export async function stillActive(db: Database, ids: readonly string[]): Promise<Approver[]> {
  const { rows } = await db.execute<Approver & Record<string, unknown>>(
    sql`SELECT u.id, u.name, u.username FROM users_person u WHERE u.id = ANY(${sql.param([...ids])}::uuid[]) AND ${decides} ORDER BY u.name, u.id`,
  )
  return rows.length ? rows : systemAdministrators(db)
}

/** System administrators who can sign in. */
export async function systemAdministrators(db: Database): Promise<Approver[]> {
  const { rows } = await db.execute<Approver & Record<string, unknown>>(
    sql`SELECT u.id, u.name, u.username FROM users_person u WHERE u.role = 'Admin' AND ${decides} ORDER BY u.name, u.id`,
  )
  return rows
}
