import { userGroup } from '@sallyport/contract/resources/users/user-group.ts'
import { userGroupRelation } from '@sallyport/contract/resources/users/user-group-relation.ts'
import { eq, sql } from 'drizzle-orm'
import { isRoot } from '../../kernel/access/call.ts'
import { refused } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { refuseGiven } from '../orgs/index.ts'
import { givenMembersOf, keepGivenMembers } from './given.ts'
import { keepGroupOfProvider, refuseManagedGroups } from './managed.ts'
import { usersUserGroup, usersUserGroupUser } from './tables.ts'

/**
 * Groups of people in an organization, and their memberships, which detail pages add and remove one
 * by one.
 */
export default function mountGroups(kernel: Kernel): void {
  mountResource(kernel, userGroup, {
    table: usersUserGroup,
    relations: {
      users: { table: usersUserGroupUser, owner: usersUserGroupUser.usergroup, target: usersUserGroupUser.user },
    },
    computed: [{ fields: ['given_users', 'given_by'], load: loadGiven }],
    rules: { beforeWrite: [keepGroupOfProvider, keepGivenMembers] },
  })
  mountResource(kernel, userGroupRelation, {
    table: usersUserGroupUser,
    scope: ({ call }) =>
      isRoot(call)
        ? undefined
        : sql`EXISTS (SELECT 1 FROM ${usersUserGroup} WHERE ${eq(usersUserGroup.id, usersUserGroupUser.usergroup)} AND ${eq(usersUserGroup.org_id, call.org.id)})`,
    search: (pattern) =>
      sql`(EXISTS (SELECT 1 FROM users_user u WHERE u.id = ${usersUserGroupUser.user} AND (u.name ILIKE ${pattern} OR u.username ILIKE ${pattern}))
        OR EXISTS (SELECT 1 FROM ${usersUserGroup} WHERE ${eq(usersUserGroup.id, usersUserGroupUser.usergroup)} AND ${usersUserGroup.name} ILIKE ${pattern}))`,
    rules: {
      beforeWrite: [
        ({ call, db, draft }) => refuseManagedGroups(db, call, draft.usergroup ? [draft.usergroup] : []),
        ({ row }) => refuseGiven(row ? [row] : []),
      ],
      beforeDelete: [
        ({ rows }) => refuseGiven(rows),
        ({ call, db, rows }) =>
          refuseManagedGroups(
            db,
            call,
            rows.map(({ usergroup }) => usergroup),
          ),
        // Deleting by filter must name one pair; if it matches more, a query parameter got lost.
        ({ bulk, rows, query }) => {
          if (bulk && rows.length > 1 && !query.spm && !query.ids)
            throw refused('bad_request', 'Name the one pair to unlink by user and group.')
        },
      ],
    },
  })
}

/** For the page of a group alone: a list of groups has no use for all their members. */
async function loadGiven(rows: readonly { id: string }[], { db, parameters }: ReadContext) {
  const given = parameters.id ? await givenMembersOf(db, [parameters.id]) : new Map<string, undefined>()
  return rows.map(({ id }) => ({ given_users: given.get(id)?.users ?? [], given_by: given.get(id)?.sources ?? [] }))
}
