import { systemUserAssetRelation } from '@sallyport/contract/resources/assets/system-user-asset-relation.ts'
import { systemUserNodeRelation } from '@sallyport/contract/resources/assets/system-user-node-relation.ts'
import { systemUserUserRelation } from '@sallyport/contract/resources/assets/system-user-user-relation.ts'
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Kernel } from '../../kernel/kernel.ts'
import {
  columnOf,
  type ReadContext,
  readableColumns,
  type StoredRow,
  type WriteContext,
  type WrittenContext,
} from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { assetsListedAsset, assetsListedNode } from '../assets/index.ts'
import { usersAccount } from '../users/index.ts'
import { clearAdminUser } from './accounts/account-rules.ts'
import { accountUserInWords, accountUsers } from './accounts/account-users.ts'
import { linkAssetsBelowNodes, linkSwitchSource } from './linking.ts'
import { assetsAccount, assetsSystemUserNode, assetsSystemUserUser } from './tables.ts'

/** What system users are bound to: assets (by their accounts), nodes and people. */
export default function mountSystemUserRelations(kernel: Kernel): void {
  mountResource(kernel, systemUserAssetRelation, {
    table: assetsAccount,
    scope: () => isNotNull(assetsAccount.systemuser),
    search: (pattern) =>
      sql`(EXISTS (SELECT 1 FROM ${assetsListedAsset} a WHERE a.id = ${assetsAccount.asset} AND (a.hostname ILIKE ${pattern} OR a.ip ILIKE ${pattern})) OR ${systemUserLike(assetsAccount.systemuser, pattern)})`,
    computed: [systemUserDisplay],
    rules: {
      existing: samePair(assetsAccount, 'asset'),
      afterWrite: [linkSource],
      afterDelete: [clearAdminUser],
    },
  })
  mountResource(kernel, systemUserNodeRelation, {
    table: assetsSystemUserNode,
    search: (pattern) =>
      sql`(EXISTS (SELECT 1 FROM ${assetsListedNode} n WHERE n.id = ${assetsSystemUserNode.node} AND n.value ILIKE ${pattern}) OR ${systemUserLike(assetsSystemUserNode.systemuser, pattern)})`,
    computed: [systemUserDisplay],
    rules: {
      existing: samePair(assetsSystemUserNode, 'node'),
      afterWrite: [linkBoundAssets],
    },
  })
  mountResource(kernel, systemUserUserRelation, {
    table: assetsSystemUserUser,
    search: (pattern) =>
      sql`(EXISTS (SELECT 1 FROM ${usersAccount} u WHERE u.id = ${assetsSystemUserUser.user} AND (u.name ILIKE ${pattern} OR u.username ILIKE ${pattern})) OR ${systemUserLike(assetsSystemUserUser.systemuser, pattern)})`,
    computed: [systemUserDisplay],
    rules: { existing: samePair(assetsSystemUserUser, 'user') },
  })
}

function systemUserLike(column: PgColumn, pattern: string) {
  return sql`EXISTS (SELECT 1 FROM assets_system_user s WHERE s.id = ${column} AND (s.name ILIKE ${pattern} OR s.username ILIKE ${pattern}))`
}

/**
 * A pair that exists is answered as it is: binding twice changes nothing
 * (docs/rules/assets.md#relations).
 */
function samePair(table: PgTable, other: string) {
  return async ({ db, draft }: WriteContext): Promise<StoredRow | undefined> => {
    const [row] = await db
      .select(readableColumns({ table }) as Record<string, PgColumn>)
      .from(table)
      .where(
        and(
          eq(columnOf(table, other), draft[other]),
          eq(columnOf(table, 'systemuser'), draft.systemuser),
          table === assetsAccount ? eq(assetsAccount.username, '') : undefined,
        ),
      )
    return row
  }
}

/** name(username), with `*` where the user name is the person's own. */
const systemUserDisplay = {
  fields: ['systemuser_display'],
  async load(rows: readonly { systemuser: string | null }[], { db }: ReadContext) {
    const users = await accountUsers(db, rows)
    return rows.map(({ systemuser }) => {
      const user = users.get(systemuser ?? '')
      return { systemuser_display: user ? accountUserInWords(user) : '' }
    })
  },
} as const

async function linkSource({
  db,
  stored,
}: WrittenContext<typeof systemUserAssetRelation, typeof assetsAccount>): Promise<void> {
  if (stored.systemuser) await linkSwitchSource(db, stored.systemuser)
}

async function linkBoundAssets({
  db,
  stored,
}: WrittenContext<typeof systemUserNodeRelation, typeof assetsSystemUserNode>): Promise<void> {
  await linkAssetsBelowNodes(db, stored.systemuser)
}
