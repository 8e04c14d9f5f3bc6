import type { CoachCoverage } from '@sallyport/contract/resources/reviews/access-proposal.ts'
import { COACH_DAYS } from '@sallyport/contract/resources/reviews/access-proposal.ts'
import { sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { findings } from './findings.ts'

const LOOK = 'reviews.look_around'
/** A look that was asked for longer ago is no longer waited for. */
const PATIENCE = sql`interval '15 minutes'`

/**
 * Every night, when little else is done; by then most of a day's sessions have ended. And when
 * somebody asks for it.
 */
export function scheduleLooks(kernel: Kernel): void {
  kernel.jobs.work<{ org: string }>(LOOK, ({ org }) => lookAround(kernel, org), { retries: 1 })
  kernel.jobs.schedule(
    { name: 'reviews.look_for_proposals', cron: '20 2 * * *', title: 'Look for access that nobody uses' },
    () => lookEverywhere(kernel),
  )
}

/** Has an organization looked at in the background, unless somebody has asked for that already. */
export async function askForLook(kernel: Kernel, orgId: string): Promise<void> {
  await kernel.db.transaction(async (db) => {
    const { rows } = await db.execute(sql`
      INSERT INTO reviews_look AS l (org_id, date_asked) VALUES (${orgId}::uuid, now())
      ON CONFLICT (org_id) DO UPDATE SET date_asked = now() WHERE NOT ${isLooking}
      RETURNING org_id`)
    if (rows.length) await kernel.jobs.send(LOOK, { org: orgId }, { db })
  })
}

/** SQL: whether a look at the organization of row `l` was asked for, and has not ended. */
const isLooking = sql`coalesce(l.date_asked > greatest(l.date_looked, now() - ${PATIENCE}), false)`

/** Looks at each organization in turn. */
export async function lookEverywhere(kernel: Kernel): Promise<void> {
  const { rows } = await kernel.db.execute<{ id: string }>(sql`SELECT id FROM orgs_listed_organization`)
  for (const { id } of rows) await lookAround(kernel, id)
}

/**
 * Stores what is found in an organization now: new proposals, new facts of open ones. Open ones that
 * hold no longer go; dismissed ones stay dismissed; one that was applied and is found again is open
 * again. Nothing is proposed before there are 90 days to go by.
 */
export async function lookAround(kernel: Kernel, orgId: string): Promise<void> {
  const { is_covered, many_people } = await coverageOf(kernel, orgId)
  await kernel.db.transaction(async (db) => {
    await db.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`reviews.look ${orgId}`}, 0))`)
    if (is_covered) await store(db, orgId, many_people)
    await db.execute(sql`
      INSERT INTO reviews_look AS l (org_id, date_looked) VALUES (${orgId}::uuid, now())
      ON CONFLICT (org_id) DO UPDATE SET date_looked = EXCLUDED.date_looked,
        has_samples = l.has_samples AND NOT ${is_covered}`)
  })
}

async function store(db: Database, orgId: string, many: number): Promise<void> {
  await db.execute(sql`
    WITH found AS MATERIALIZED (${findings(orgId, many)}),
    gone AS (
      DELETE FROM reviews_proposal r WHERE r.org_id = ${orgId}::uuid AND r.state = 'open'
        AND NOT EXISTS (SELECT 1 FROM found f WHERE f.kind = r.kind AND f.object_id = r.object_id))
    INSERT INTO reviews_proposal AS r (org_id, kind, object_type, object_id, object_name, facts, change)
    SELECT ${orgId}::uuid, kind, object_type, object_id, object_name, facts, change FROM found
    ON CONFLICT (org_id, kind, object_id) DO UPDATE SET
      object_name = EXCLUDED.object_name, facts = EXCLUDED.facts, change = EXCLUDED.change,
      state = CASE r.state WHEN 'applied' THEN 'open' ELSE r.state END`)
}

/** Whether sessions of the whole window can be there: the installation is old enough, and keeps them long enough. */
export async function coverageOf(kernel: Kernel, orgId: string): Promise<CoachCoverage> {
  const { rows } = await kernel.db.execute<{
    installed_days: number
    date_looked: string | null
    is_looking: boolean
    has_samples: boolean
  }>(sql`
    SELECT (SELECT floor(date_part('epoch', now() - min(applied_at)) / 86400)::int FROM kernel_migration) AS installed_days,
      l.date_looked, ${isLooking} AS is_looking, coalesce(l.has_samples, false) AS has_samples
    FROM (SELECT ${orgId}::uuid AS org_id) o LEFT JOIN reviews_look l USING (org_id)`)
  const { installed_days, date_looked, is_looking, has_samples } = rows[0] ?? {
    installed_days: 0,
    date_looked: null,
    is_looking: false,
    has_samples: false,
  }
  const kept_days = settingsOf(kernel).get('TERMINAL_SESSION_KEEP_DURATION')
  return {
    is_covered: installed_days >= COACH_DAYS && kept_days >= COACH_DAYS,
    days: COACH_DAYS,
    installed_days,
    kept_days,
    has_samples,
    is_looking,
    date_looked: date_looked && new Date(date_looked).toISOString(),
    many_people: settingsOf(kernel).get('SECURITY_MANY_PEOPLE_PER_ASSET'),
  }
}
