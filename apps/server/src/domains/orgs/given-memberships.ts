import type { OrgRole } from '@sallyport/contract/access.ts'
import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { endLostMemberships } from './membership.ts'

/** A membership that a rule about groups of a directory or provider gives. */
export interface GivenMembership {
  user: string
  org: string
  role: OrgRole
}

/**
 * Gives memberships from outside, marked with their source. Those that somebody here gave stay as they
 * are. Answers the new ones.
 */
export async function giveMemberships(
  db: Database,
  source: string,
  wanted: readonly GivenMembership[],
): Promise<GivenMembership[]> {
  if (!wanted.length) return []
  const { rows } = await db.execute<GivenMembership & Record<string, unknown>>(sql`
    INSERT INTO orgs_member (org, "user", role, given_by)
    SELECT w.org, w."user", w.role, ${source}
    FROM jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) w (org uuid, "user" uuid, role text)
    ON CONFLICT DO NOTHING RETURNING org, "user", role`)
  return rows.map(({ org, user, role }) => ({ org, user, role }))
}

/**
 * Takes what was given from outside to these people, but for what is given still. Answers what went.
 * What depends on somebody's last membership in an organization goes with it.
 */
export async function takeMemberships(
  db: Database,
  users: readonly string[],
  wanted: readonly GivenMembership[],
): Promise<GivenMembership[]> {
  if (!users.length) return []
  const { rows } = await db.execute<GivenMembership & Record<string, unknown>>(sql`
    DELETE FROM orgs_member m WHERE m."user" = ANY(${sql.param([...users])}::uuid[]) AND m.given_by <> ''
      AND NOT EXISTS (SELECT 1 FROM jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) w (org uuid, "user" uuid, role text)
        WHERE w.org = m.org AND w."user" = m."user" AND w.role = m.role)
    RETURNING m.org, m."user", m.role`)
  const gone = rows.map(({ org, user, role }) => ({ org, user, role }))
  for (const [org, lost] of Map.groupBy(gone, (one) => one.org))
    await endLostMemberships(
      db,
      org,
      lost.map((one) => one.user),
    )
  return gone
}
