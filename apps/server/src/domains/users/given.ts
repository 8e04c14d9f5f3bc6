import type { SystemRole } from '@sallyport/contract/access.ts'
import { and, eq, inArray, ne, notInArray, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { publishAllIn } from '../../kernel/events/events.ts'
import { announceLoss, refuseGiven, takeMemberships } from '../orgs/index.ts'
import { USER_CHANGED } from './changes.ts'
import { BUILT_IN_ADMIN } from './may-change.ts'
import { usersUserGroupUser } from './tables.ts'

/** A place in a group of here that a rule about groups of a directory or provider gives. */
export interface GivenPlace {
  user: string
  group: string
}

/**
 * Gives these people exactly these groups from outside, each marked with its source. Places that somebody
 * here gave stay as they are. Answers what came and went.
 */
export async function setGivenGroups(
  db: Database,
  users: readonly string[],
  wanted: readonly (GivenPlace & { source: string })[],
): Promise<{ added: GivenPlace[]; removed: GivenPlace[] }> {
  if (!users.length) return { added: [], removed: [] }
  const rows = sql`jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) w ("user" uuid, "group" uuid, source text)`
  const added = wanted.length
    ? await db.execute<GivenPlace & Record<string, unknown>>(sql`
        INSERT INTO users_user_group_user ("user", usergroup, given_by) SELECT w."user", w."group", w.source FROM ${rows}
        ON CONFLICT DO NOTHING RETURNING "user", usergroup AS "group"`)
    : { rows: [] }
  const removed = await db.execute<GivenPlace & Record<string, unknown>>(sql`
    DELETE FROM users_user_group_user m WHERE m."user" = ANY(${sql.param([...users])}::uuid[]) AND m.given_by <> ''
      AND NOT EXISTS (SELECT 1 FROM ${rows} WHERE w."user" = m."user" AND w."group" = m.usergroup)
    RETURNING m."user", m.usergroup AS "group"`)
  await announceLoss(db, [...new Set(removed.rows.map(({ user }) => user))])
  return { added: added.rows, removed: removed.rows }
}

/**
 * Gives these people system roles from outside; those who are not named get none, and lose the one that
 * they had from there. A role that somebody here gave stays. Answers what changed.
 */
export async function setGivenRoles(
  db: Database,
  users: readonly string[],
  wanted: ReadonlyMap<string, { role: SystemRole; source: string }>,
): Promise<{ user: string; before: string; after: string }[]> {
  if (!users.length) return []
  const roles = users.map((user) => ({ user, role: 'User', source: '', ...wanted.get(user) }))
  const { rows } = await db.execute<{ user: string; before: string; after: string }>(sql`
    UPDATE users_user u SET role = w.role, role_given_by = CASE w.role WHEN 'User' THEN '' ELSE w.source END
    FROM jsonb_to_recordset(${JSON.stringify(roles)}::jsonb) w ("user" uuid, role text, source text)
    JOIN users_user was ON was.id = w."user"
    WHERE u.id = w."user" AND u.role <> w.role AND u.role <> 'App' AND u.username <> ${BUILT_IN_ADMIN}
      AND (u.role_given_by <> '' OR u.role = 'User')
    RETURNING u.id AS "user", was.role AS before, u.role AS after`)
  await publishAllIn(
    db,
    USER_CHANGED,
    rows.map(({ user }) => ({ user_id: user })),
  )
  return rows
}

/** Takes everything that was given to these people from outside. */
export async function takeAllGiven(db: Database, users: readonly string[]): Promise<void> {
  await setGivenGroups(db, users, [])
  await takeMemberships(db, users, [])
  await setGivenRoles(db, users, new Map())
}

/** The members who come from outside, and the sources that gave them, by group. */
export async function givenMembersOf(
  db: Database,
  groups: readonly string[],
): Promise<Map<string, { users: string[]; sources: string[] }>> {
  const place = usersUserGroupUser
  const rows = await db
    .select({ group: place.usergroup, user: place.user, source: place.given_by })
    .from(place)
    .where(and(inArray(place.usergroup, [...groups]), ne(place.given_by, '')))
  return new Map(
    [...Map.groupBy(rows, ({ group }) => group)].map(([group, given]) => [
      group,
      {
        users: given.map(({ user }) => user),
        sources: [...new Set(given.map(({ source }) => source))].sort(),
      },
    ]),
  )
}

/** Members who come from outside stay in the group. Throws 400. */
export async function keepGivenMembers({
  db,
  draft: { users },
  row,
}: {
  db: Database
  draft: { users?: unknown }
  row: { id: string } | undefined
}): Promise<void> {
  if (!row || !Array.isArray(users)) return
  const place = usersUserGroupUser
  const wanted = users.map(String)
  refuseGiven(
    await db
      .select({ given_by: place.given_by })
      .from(place)
      .where(
        and(
          eq(place.usergroup, row.id),
          ne(place.given_by, ''),
          wanted.length ? notInArray(place.user, wanted) : undefined,
        ),
      )
      .limit(1),
  )
}
