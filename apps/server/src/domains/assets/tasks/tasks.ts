import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Call } from '../../../kernel/access/call.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { inOrganization } from '../../../kernel/resource/in-organization.ts'
import { runTask, startTask } from '../../ops/index.ts'
import { assetsAccount, assetsAsset } from '../tables.ts'
import { isContactable, refreshHardware, testConnectivity, testSystemUser } from './contact.ts'

/** Assets in one job; more are split, so that several workers share them. */
const BATCH = 200

interface TaskData {
  task: string
  assets: string[]
}

/** Jobs over SSH, each with a log that can be watched. */
export function registerTaskJobs(kernel: Kernel): void {
  const options = { concurrency: 3, expireSeconds: 3600 }
  kernel.jobs.work<TaskData>(
    'assets.test_connectivity',
    ({ task, assets }) => runTask(kernel, task, (log) => testConnectivity(kernel, assets, log)),
    options,
  )
  kernel.jobs.work<TaskData>(
    'assets.refresh_hardware',
    ({ task, assets }) => runTask(kernel, task, (log) => refreshHardware(kernel, assets, log)),
    options,
  )
  kernel.jobs.work<TaskData & { systemUsers: string[] }>(
    'assets.test_system_users',
    ({ task, assets, systemUsers }) => runTask(kernel, task, (log) => testSystemUser(kernel, assets, systemUsers, log)),
    options,
  )
}

const NAMES = {
  refresh: { name: 'Update asset hardware info', job: 'assets.refresh_hardware' },
  test: { name: 'Test assets connectivity', job: 'assets.test_connectivity' },
} as const

export type AssetAction = keyof typeof NAMES

/** One task over assets; answers its id. */
export function startAssetTask(
  kernel: Kernel,
  call: Pick<Call, 'user'> | undefined,
  orgId: string,
  action: AssetAction,
  assets: readonly string[],
): Promise<string> {
  return startTask(kernel, call, { ...NAMES[action], data: { assets: [...assets] }, orgId })
}

/** Tests system users on assets; answers the task's id. */
export function startSystemUserTest(
  kernel: Kernel,
  call: Call,
  orgId: string,
  assets: readonly string[],
  systemUsers: readonly string[],
): Promise<string> {
  return startTask(kernel, call, {
    name: 'Test system user connectivity',
    job: 'assets.test_system_users',
    data: { assets: [...assets], systemUsers: [...systemUsers] },
    orgId,
  })
}

/** Tests new assets and asks for their hardware (contract/assets.yaml flow "asset created"). */
export async function startFirstContact(
  kernel: Kernel,
  call: Call,
  orgId: string,
  assetIds: readonly string[],
): Promise<void> {
  for (let at = 0; at < assetIds.length; at += BATCH) {
    const batch = assetIds.slice(at, at + BATCH)
    const rows = await kernel.db.select().from(assetsAsset).where(inArray(assetsAsset.id, batch))
    const ids = rows.filter(isContactable).map((row) => row.id)
    if (!ids.length) continue
    await startAssetTask(kernel, call, orgId, 'refresh', ids)
    await startAssetTask(kernel, call, orgId, 'test', ids)
  }
}

/** Those of these assets that the caller's organisation has. */
export async function knownAssets({ db }: Kernel, call: Call, ids: readonly string[]): Promise<string[]> {
  if (!ids.length) return []
  const rows = await db
    .select({ id: assetsAsset.id })
    .from(assetsAsset)
    .where(and(inArray(assetsAsset.id, [...ids]), inOrganization(call, assetsAsset.org_id)))
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
