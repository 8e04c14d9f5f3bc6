import { organizationMember } from '@sallyport/contract/resources/orgs/organization-member.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { refuseLimited } from '../../kernel/access/limited-key.ts'
import type { Database } from '../../kernel/database/database.ts'
import { refused } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid, NOTHING } from '../../kernel/resource/conditions.ts'
import type { DeleteContext, StoredRow, WriteContext } from '../../kernel/resource/mount.ts'
import { list } from '../../kernel/resource/query.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { refuseGiven } from './given.ts'
import { endLostMemberships } from './membership.ts'
import { orgsMember } from './tables.ts'

type Writing = WriteContext<typeof organizationMember, typeof orgsMember>
type Deleting = DeleteContext<typeof orgsMember>

/** The members of organizations, with their roles. */
export default function mountMembers(kernel: Kernel): void {
  const among = (column: typeof orgsMember.id | typeof orgsMember.org | typeof orgsMember.user) => (value: string) => {
    const ids = list(value).filter(isUuid)
    return ids.length ? inArray(column, ids) : NOTHING
  }
  mountResource(kernel, organizationMember, {
    table: orgsMember,
    // Components are not members of organizations.
    scope: () => sql`EXISTS (SELECT 1 FROM users_person u WHERE u.id = ${orgsMember.user})`,
    search: (pattern) =>
      sql`(EXISTS (SELECT 1 FROM users_account u WHERE u.id = ${orgsMember.user} AND (u.name ILIKE ${pattern} OR u.username ILIKE ${pattern}))
        OR EXISTS (SELECT 1 FROM orgs_organization o WHERE o.id = ${orgsMember.org} AND o.name ILIKE ${pattern}))`,
    filters: { id: among(orgsMember.id), org_id: among(orgsMember.org), user_id: among(orgsMember.user) },
    // The callers are system administrators, who work across organizations.
    refersToAllOrgs: true,
    rules: {
      // In an array, memberships that exist already are left as they are; a single one is refused
      // by the unique index.
      existing: async ({ bulk, db, draft }) => (bulk ? findMember(db, draft) : undefined),
      beforeWrite: [keepGiven, makeNoAdministrator],
      afterWrite: [
        async ({ db, row }) => {
          if (row) await endLostMemberships(db, row.org, [row.user])
        },
      ],
      beforeDelete: [onlyNamedRows, ({ rows }) => refuseGiven(rows)],
      afterDelete: [
        async ({ db, rows }) => {
          for (const [org, members] of Map.groupBy(rows, (row) => row.org))
            await endLostMemberships(
              db,
              org,
              members.map(({ user }) => user),
            )
        },
      ],
    },
  })
}

/** A membership that comes from outside is changed there; a form that sends it back as it is changes nothing. */
function keepGiven({ draft, row }: Writing): void {
  if (row && (['org', 'user', 'role'] as const).some((name) => draft[name] !== undefined && draft[name] !== row[name]))
    refuseGiven([row])
}

/** Administrators make ways in for others. */
function makeNoAdministrator({ call, draft, row }: Writing): void {
  if ((draft.role ?? row?.role) === 'Admin') refuseLimited(call)
}

async function findMember(
  db: Database,
  { org, user, role }: Writing['draft'],
): Promise<StoredRow<typeof orgsMember> | undefined> {
  if (!org || !user || !role) return undefined
  const [row] = await db
    .select()
    .from(orgsMember)
    .where(and(eq(orgsMember.org, org), eq(orgsMember.user, user), eq(orgsMember.role, role)))
  return row
}

/**
 * A list delete must name rows by id, spm or ids: any other filter could empty an organization by
 * mistake.
 */
function onlyNamedRows({ bulk, query, parameters }: Deleting): void {
  if (bulk && !parameters.id && !query.id && !query.spm && !query.ids)
    throw refused('bad_request', 'Name the memberships to delete by id.')
}
