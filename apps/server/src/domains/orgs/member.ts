import { organizationMember } from '@sallyport/contract/resources/orgs/organization-member.ts'
import { inArray, sql } from 'drizzle-orm'
import { invalid, refused } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid, NOTHING } from '../../kernel/resource/conditions.ts'
import type { DeleteContext } from '../../kernel/resource/mount.ts'
import { list } from '../../kernel/resource/query.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { endWhereNoneIsLeft } from './membership.ts'
import { orgsMember } from './tables.ts'

/** Who belongs to which organisation, as what. */
export function mountMembers(kernel: Kernel): void {
  const among = (column: typeof orgsMember.id | typeof orgsMember.org | typeof orgsMember.user) => (value: string) => {
    const ids = list(value).filter(isUuid)
    return ids.length ? inArray(column, ids) : NOTHING
  }
  mountResource(kernel, organizationMember, {
    table: orgsMember,
    // Components are nobody's members.
    scope: () => sql`EXISTS (SELECT 1 FROM users_user u WHERE u.id = ${orgsMember.user} AND u.role <> 'App')`,
    search: (pattern) =>
      sql`(EXISTS (SELECT 1 FROM users_user u WHERE u.id = ${orgsMember.user} AND (u.name ILIKE ${pattern} OR u.username ILIKE ${pattern}))
        OR EXISTS (SELECT 1 FROM orgs_organization o WHERE o.id = ${orgsMember.org} AND o.name ILIKE ${pattern}))`,
    filters: { id: among(orgsMember.id), org_id: among(orgsMember.org), user_id: among(orgsMember.user) },
    rules: {
      beforeWrite: [
        ({ draft }) => {
          if (draft.org && !isUuid(draft.org)) throw invalid({ org: 'Must be a valid UUID.' })
        },
      ],
      beforeDelete: [onlyNamedRows],
      afterDelete: [
        ({ db, rows }) =>
          endWhereNoneIsLeft(
            db,
            rows.map((row) => ({ user_id: String(row.user), org_id: String(row.org) })),
          ),
      ],
    },
  })
}

/** A list delete must name rows by id, spm or ids: any other filter could empty an organisation by mistake. */
function onlyNamedRows({ bulk, query, parameters }: DeleteContext): void {
  if (bulk && !parameters.id && !query.id && !query.spm && !query.ids) throw refused('bad_request', 'Name the memberships to delete by id.')
}
