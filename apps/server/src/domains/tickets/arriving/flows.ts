import { type SQL, sql } from 'drizzle-orm'
import type { ArrivalRun, Outcome } from '../../../kernel/arrivals/arrival.ts'
import { noteArrivals } from '../../../kernel/arrivals/note-arrivals.ts'
import { noStays, type TakenBack } from '../../../kernel/arrivals/take-back.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { type Strategy, ticketsFlow, ticketsFlowAssignee, ticketsFlowRule } from '../tables.ts'

/** A flow with its levels, each with the people of strategy `custom_user`. */
export interface ArrivingFlow {
  /** Its id there and here. */
  id: string
  name: string
  values: Pick<typeof ticketsFlow.$inferInsert, 'org_id' | 'type' | 'created_by'> & { date_created: Date }
  levels: readonly { strategy: Strategy; people: readonly string[] }[]
}

/** Kind of flows, which are taken back by `takeBackFlows`. */
export const FLOW_KIND = 'ticket_flow'

/** Stores a flow. One that an organization has of the type already stays: it has one of each. */
export async function arriveFlow(run: ArrivalRun, flow: ArrivingFlow): Promise<Outcome> {
  const { db, source, secrets } = run
  const { rows: known } = await db.execute<{ digest: Buffer; stored: string }>(sql`
    SELECT digest, stored FROM kernel_arrival WHERE source = ${source} AND kind = ${FLOW_KIND} AND key = ${flow.id}`)
  const text = JSON.stringify([flow.values.type, flow.levels])
  const now = await storedLevels(db, flow.id)
  const [before] = known
  if (before && secrets.fingerprints(text).some((one) => one.equals(before.digest))) return 'same'
  if (before && now === null) return 'gone'
  if (before && now !== before.stored) return 'kept'
  if (!before && (await hasFlow(db, flow))) return 'there'
  const { id, values, levels } = flow
  if (before) await db.execute(sql`UPDATE tickets_flow SET approval_level = ${levels.length} WHERE id = ${id}`)
  else await db.insert(ticketsFlow).values({ id, ...values, approval_level: levels.length })
  await db.execute(sql`DELETE FROM tickets_flow_rule WHERE flow_id = ${id}`)
  const rules = levels.map((rule, at) => ({ ...rule, flow_id: id, level: at + 1 }))
  await db.insert(ticketsFlowRule).values(rules.map(({ flow_id, level, strategy }) => ({ flow_id, level, strategy })))
  const people = rules.flatMap((rule) => rule.people.map((user_id) => ({ flow_id: id, level: rule.level, user_id })))
  if (people.length) await db.insert(ticketsFlowAssignee).values(people).onConflictDoNothing()
  const stored = await storedLevels(db, id)
  await noteArrivals(run, FLOW_KIND, [{ key: id, id, digest: secrets.fingerprint(text), stored: stored ?? '' }])
  return before ? 'updated' : 'added'
}

async function hasFlow(db: Database, { id, values: { org_id, type } }: ArrivingFlow): Promise<boolean> {
  const { rows } = await db.execute(
    sql`SELECT 1 FROM tickets_flow WHERE id = ${id} OR (org_id = ${org_id} AND type = ${type})`,
  )
  return rows.length > 0
}

/** Hash of the levels as they are here; null where the flow is not. */
async function storedLevels(db: Database, id: string): Promise<string | null> {
  const { rows } = await db.execute<{ stored: string | null }>(sql`
    SELECT md5((SELECT coalesce(jsonb_agg(jsonb_build_array(r.level, r.strategy, ARRAY(
        SELECT a.user_id FROM tickets_flow_assignee a WHERE a.flow_id = f.id AND a.level = r.level ORDER BY a.user_id))
        ORDER BY r.level), '[]') FROM tickets_flow_rule r WHERE r.flow_id = f.id)::text) AS stored
    FROM tickets_flow f WHERE f.id = ${id}`)
  return rows[0]?.stored ?? null
}

/** Removes the flows that came and whose levels nobody has changed here since. An organization has a few. */
export async function takeBackFlows({ db, source }: Pick<ArrivalRun, 'db' | 'source'>): Promise<TakenBack> {
  const taken: TakenBack = { kind: FLOW_KIND, isPair: false, removed: 0, ...noStays() }
  const { rows } = await db.execute<{ id: string; stored: string; type: string }>(sql`
    SELECT f.id, a.stored, f.type FROM kernel_arrival a JOIN tickets_flow f ON f.id::text = a.id
    WHERE a.source = ${source} AND a.kind = ${FLOW_KIND} AND a.stored IS NOT NULL ORDER BY f.id`)
  for (const { id, stored, type } of rows)
    if ((await storedLevels(db, id)) === stored) {
      await db.execute(sql`DELETE FROM tickets_flow WHERE id = ${id}`)
      taken.removed++
    } else {
      taken.changed.count++
      taken.changed.names.push(type)
    }
  return taken
}

/** SQL: whether an organization has flows of its own. */
export const hasFlows = (org: SQL): SQL => sql`EXISTS (SELECT 1 FROM tickets_flow f WHERE f.org_id = ${org})`
