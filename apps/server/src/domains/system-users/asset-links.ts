import { eq, sql } from 'drizzle-orm'
import { awaitedLater } from '../../kernel/background.ts'
import type { Database } from '../../kernel/database/database.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import { assetAccounts, type WritingAsset, type WrittenAsset } from '../assets/index.ts'
import { linkBoundSystemUsers, linkSystemUsers, pushToAsset } from './linking.ts'
import { assetsAccount, assetsSystemUser, assetsSystemUserNode } from './tables.ts'
import { startFirstContact } from './tasks/tasks.ts'

/** Tells assets and nodes what system users have to do with them. */
export function linkAccountsToAssets(): void {
  assetAccounts.provide({
    checkAdminUser,
    async saved(context) {
      await linkAsset(context)
      queueFirstContact(context)
    },
    placed: linkBoundSystemUsers,
    isLinked: (asset, systemUserId) =>
      sql`EXISTS (SELECT 1 FROM ${assetsAccount} WHERE ${assetsAccount.asset} = ${asset} AND ${assetsAccount.systemuser} = ${systemUserId})`,
  })
}

/** Only a system user of type admin and of the asset's organization may be the privileged one. */
async function checkAdminUser(context: WritingAsset): Promise<void> {
  const { draft, db, row } = context
  if (!draft.admin_user || draft.admin_user === row?.admin_user) return
  const [user] = await db.select().from(assetsSystemUser).where(eq(assetsSystemUser.id, draft.admin_user))
  if (user?.type !== 'admin') throw invalid({ admin_user: 'Only admin users can be chosen' })
}

const boundOrgs = new WeakMap<Database, Map<string, Promise<boolean>>>()

/** Whether the organization binds any system user to nodes: most imports need no linking at all. */
function bindsNodes(db: Database, orgId: string): Promise<boolean> {
  let byOrg = boundOrgs.get(db)
  if (!byOrg) boundOrgs.set(db, (byOrg = new Map()))
  let answer = byOrg.get(orgId)
  if (!answer) {
    const ask = async () =>
      (
        await db
          .select({ id: assetsSystemUserNode.id })
          .from(assetsSystemUserNode)
          .where(eq(assetsSystemUserNode.org_id, orgId))
          .limit(1)
      ).length > 0
    byOrg.set(orgId, (answer = awaitedLater(ask())))
  }
  return answer
}

/** Links the asset to the system users bound to its nodes, and to its privileged one. */
async function linkAsset({ db, draft, stored, row }: WrittenAsset): Promise<void> {
  if (draft.nodes && (await bindsNodes(db, stored.org_id))) await linkBoundSystemUsers(db, [stored.id])
  if (stored.admin_user && stored.admin_user !== row?.admin_user)
    await linkSystemUsers(db, [stored.id], [stored.admin_user])
  if (row && stored.admin_user && stored.admin_user !== row.admin_user) await pushToAsset(db, stored.id)
}

const created = new WeakMap<Database, string[]>()

/**
 * Has a new asset tested and asked for its hardware, in one job for all assets of a call: an import
 * must not queue thousands.
 */
function queueFirstContact({ db, row, stored, call, kernel, afterCommit }: WrittenAsset): void {
  // Without a privileged system user there is nobody to log in as.
  if (row || !stored.admin_user || !stored.is_active) return
  const ids = created.get(db)
  if (ids) {
    ids.push(stored.id)
    return
  }
  const all = [stored.id]
  created.set(db, all)
  afterCommit(() => startFirstContact(kernel, call, stored.org_id, all))
}
