import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Call } from '../../../kernel/access/call.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { inOrganization } from '../../../kernel/resource/in-organization.ts'
import { assetsListedAsset } from '../../assets/index.ts'
import { startRun, taskKind } from '../../ops/index.ts'
import { assetsAccount, assetsSystemUser } from '../tables.ts'
import { isContactable, PING, refreshHardware, SETUP, testConnectivity, testSystemUsers } from './contact.ts'
import { PUSH_KIND, pushSystemUsers, REMOVE_KIND, removeSystemUsers } from './push/push.ts'

/** Assets in one job; more are split, so that several workers share them. */
const BATCH = 200

/** Work over SSH, each run with a log that can be watched. */
export function registerTaskKinds(): void {
  taskKind('assets.test_connectivity', testConnectivity)
  taskKind('assets.refresh_hardware', refreshHardware)
  taskKind('assets.test_system_users', testSystemUsers)
  taskKind(PUSH_KIND, pushSystemUsers)
  taskKind(REMOVE_KIND, removeSystemUsers)
}

const ACTIONS = {
  refresh: { title: 'Update asset hardware info', kind: 'assets.refresh_hardware', steps: [SETUP] },
  test: { title: 'Test assets connectivity', kind: 'assets.test_connectivity', steps: [PING] },
} as const

export type AssetAction = keyof typeof ACTIONS

/** One run over assets; answers the background task's id. */
export async function startAssetTask(
  kernel: Kernel,
  call: Call | undefined,
  orgId: string,
  action: AssetAction,
  assets: readonly string[],
  /** `subject`: what the assets are, where that is not the name of a single one. */
  { subject, isLogged }: { subject?: string; isLogged?: boolean } = {},
): Promise<string> {
  const what = subject ?? (await nameOfOne(kernel, assets))
  const about = what ? { subject: what } : {}
  return startRun(kernel, call, { ...ACTIONS[action], ...about, hosts: assets, orgId, isLogged })
}

/** The name of a single asset: many are no name of a task. */
async function nameOfOne({ db }: Kernel, assets: readonly string[]): Promise<string | undefined> {
  const [id, more] = assets
  if (!id || more) return undefined
  const [row] = await db
    .select({ hostname: assetsListedAsset.hostname })
    .from(assetsListedAsset)
    .where(eq(assetsListedAsset.id, id))
  return row?.hostname
}

/** Tests system users on assets; answers the background task's id. */
export async function startSystemUserTest(
  kernel: Kernel,
  call: Call,
  orgId: string,
  assets: readonly string[],
  systemUsers: readonly string[],
): Promise<string> {
  const { name, id, username } = assetsSystemUser
  const users = systemUsers.length
    ? await kernel.db
        .select({ name, username })
        .from(assetsSystemUser)
        .where(inArray(id, [...systemUsers]))
        .orderBy(name)
    : []
  return startRun(kernel, call, {
    title: 'Test system user connectivity',
    subject: users.map((user) => user.name).join(', '),
    kind: 'assets.test_system_users',
    data: { systemUsers: [...systemUsers].sort() },
    steps: [PING],
    runAs: users
      .map((user) => user.username || '*')
      .join(', ')
      .slice(0, 64),
    hosts: assets,
    orgId,
  })
}

/** Tests new assets and asks for their hardware (docs/rules/assets.md#asset_created). */
export async function startFirstContact(
  kernel: Kernel,
  call: Call,
  orgId: string,
  assetIds: readonly string[],
): Promise<void> {
  for (let at = 0; at < assetIds.length; at += BATCH) {
    const batch = assetIds.slice(at, at + BATCH)
    const rows = await kernel.db.select().from(assetsListedAsset).where(inArray(assetsListedAsset.id, batch))
    const ids = rows.filter(isContactable).map((row) => row.id)
    if (!ids.length) continue
    for (const action of ['refresh', 'test'] as const)
      await startAssetTask(kernel, call, orgId, action, ids, { isLogged: true })
  }
}

/** Those of these assets that the caller's organization has. */
export async function knownAssets({ db }: Kernel, call: Call, ids: readonly string[]): Promise<string[]> {
  if (!ids.length) return []
  const rows = await db
    .select({ id: assetsListedAsset.id })
    .from(assetsListedAsset)
    .where(and(inArray(assetsListedAsset.id, [...ids]), inOrganization(call, assetsListedAsset.org_id)))
  return rows.map((row) => row.id)
}

/** Assets linked to a system user. */
export async function linkedAssets({ db }: Kernel, systemUserId: string): Promise<string[]> {
  const rows = await db
    .selectDistinct({ id: assetsAccount.asset })
    .from(assetsAccount)
    .where(eq(assetsAccount.systemuser, systemUserId))
  return rows.map((row) => row.id)
}

/** System users linked to an asset. */
export async function linkedSystemUsers({ db }: Kernel, assetId: string): Promise<string[]> {
  const rows = await db
    .selectDistinct({ id: assetsAccount.systemuser })
    .from(assetsAccount)
    .where(and(eq(assetsAccount.asset, assetId), sql`${assetsAccount.systemuser} IS NOT NULL`))
  return rows.flatMap((row) => (row.id ? [row.id] : []))
}
