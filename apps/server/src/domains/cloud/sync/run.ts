import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { CLOUD_PROVIDERS } from '@sallyport/contract/resources/cloud/cloud-providers.ts'
import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Call } from '../../../kernel/access/call.ts'
import { ownCall } from '../../../kernel/access/own-call.ts'
import { oneNodeAtATime } from '../../../kernel/database/locks.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { PlanRun } from '../../accounts/index.ts'
import { SyncedAssets } from '../../assets/index.ts'
import type { TaskLog, TaskRuns } from '../../ops/index.ts'
import { type StoredAccount, withCloud } from '../accounts/open-account.ts'
import type { Cloud } from '../providers/cloud.ts'
import { CloudError } from '../providers/cloud-error.ts'
import { cloudAccount, cloudSyncRun, cloudSyncTask, type ReadRegion, type RunFault } from '../tables.ts'
import { Keeper } from './keeper.ts'

type Task = typeof cloudSyncTask.$inferSelect
interface Outcome {
  regions: ReadRegion[]
  fault?: RunFault
}

/**
 * Reads the machines of a task's regions and keeps their assets. In an organization one run comes
 * after the other, so that two tasks that see one machine make one asset of it.
 */
export async function syncTask(
  kernel: Kernel,
  { id, plan, signal }: PlanRun,
  log: TaskLog,
): Promise<Record<string, unknown>> {
  const { db, pool } = kernel
  const [task] = await db.select().from(cloudSyncTask).where(eq(cloudSyncTask.id, plan))
  if (!task) return {}
  // A node that takes up the work of a dead one starts again: syncing twice changes nothing.
  await db.insert(cloudSyncRun).values({ id, org_id: task.org_id, task: plan }).onConflictDoNothing()
  return oneNodeAtATime(pool, `cloud sync ${task.org_id}`, () => runNow(kernel, { id, plan, signal }, log))
}

/** The rows of runs. */
export const syncRuns: TaskRuns = {
  async open(db) {
    const { id, status, date_sync } = cloudSyncRun
    const rows = await db
      .select({ id })
      .from(cloudSyncRun)
      .where(and(isNull(status), sql`${date_sync} < now() - interval '1 minute'`))
    return rows.map((row) => row.id)
  },
  close: ({ db }, ids) =>
    db
      .update(cloudSyncRun)
      .set({ status: 0, fault: 'stopped' })
      .where(and(isNull(cloudSyncRun.status), inArray(cloudSyncRun.id, [...ids]))),
}

async function runNow(
  kernel: Kernel,
  { id, plan, signal }: Pick<PlanRun, 'id' | 'plan' | 'signal'>,
  log: TaskLog,
): Promise<Record<string, unknown>> {
  const { db } = kernel
  // As it is now: it may have waited for others.
  const [found] = await db
    .select({ task: cloudSyncTask, account: cloudAccount })
    .from(cloudSyncTask)
    .innerJoin(cloudAccount, eq(cloudAccount.id, cloudSyncTask.account))
    .where(eq(cloudSyncTask.id, plan))
  if (!found) return {}
  const { task, account } = found
  const assets = new SyncedAssets(kernel, await callOf(kernel, task.org_id))
  const keeper = new Keeper({ kernel, task, cloud: cloudOf(account), run: id, assets, log, signal })
  const { regions, fault }: Outcome = task.node
    ? await readRegions(kernel, task, account, keeper, log)
    : { regions: [], fault: 'no_node' }
  const failed = fault ?? regions.find((one) => one.fault)?.fault
  const { counts } = keeper
  await log(`new=${counts.new} unsynced=${counts.unsync} synced=${counts.sync} released=${counts.released}`)
  await db
    .update(cloudSyncRun)
    .set({
      status: failed ? 0 : 1,
      fault: failed ?? null,
      new_count: counts.new,
      unsync_count: counts.unsync,
      sync_count: counts.sync,
      released_count: counts.released,
      result: { regions },
    })
    .where(eq(cloudSyncRun.id, id))
  if (!failed) await db.update(cloudSyncTask).set({ date_last_sync: sql`now()` }).where(eq(cloudSyncTask.id, plan))
  return { ...counts }
}

async function readRegions(
  kernel: Kernel,
  task: Task,
  account: StoredAccount,
  keeper: Keeper,
  log: TaskLog,
): Promise<Outcome> {
  const regions: ReadRegion[] = []
  try {
    await withCloud(kernel, account, {}, async (cloud) => {
      for (const region of task.regions) {
        const error = await readRegion(cloud, region, keeper, regions)
        if (error) await log(`${region} | FAILED: ${error.fault} (${error.message})`)
        // Keys that are refused here are refused everywhere.
        if (error?.fault === 'denied') throw error
      }
    })
    return { regions }
  } catch (error) {
    if (!(error instanceof CloudError)) throw error
    return { regions, fault: error.fault }
  }
}

/** Why it could not be read to its end: then nothing in it counts as gone. */
async function readRegion(
  cloud: Cloud,
  region: string,
  keeper: Keeper,
  regions: ReadRegion[],
): Promise<CloudError | undefined> {
  const read: ReadRegion = { id: region, instances: 0 }
  regions.push(read)
  try {
    for await (const page of cloud.instances(region)) read.instances += await keeper.keep(region, page)
    await keeper.release(region)
    return undefined
  } catch (error) {
    if (!(error instanceof CloudError)) throw error
    Object.assign(read, { fault: error.fault, answer: error.message })
    return error
  }
}

/** The cloud of the ids of machines there: those of private clouds are their own. */
export function cloudOf({ provider, attrs }: Pick<StoredAccount, 'provider' | 'attrs'>): string {
  if (!CLOUD_PROVIDERS[provider].isPrivate) return provider
  const place = attrs.api_endpoint ?? attrs.auth_url ?? `${attrs.host}:${attrs.port}`
  return `${provider} ${String(place).toLowerCase().replace(/\/+$/, '')}`
}

/** As nobody, in the task's organization. */
async function callOf(kernel: Kernel, orgId: string): Promise<Call> {
  if (orgId === ROOT_ORG_ID) throw new Error('a sync task of no organization')
  return ownCall(kernel, orgId)
}
