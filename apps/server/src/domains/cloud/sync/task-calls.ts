import { syncInstanceTask } from '@sallyport/contract/resources/cloud/sync-instance-task.ts'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { changeOf } from '../../../kernel/audit/named-change.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { rowInOrg } from '../../../kernel/resource/row-in-org.ts'
import { registerPlanTimes } from '../../accounts/index.ts'
import { SyncedAssets } from '../../assets/index.ts'
import { cloudInstance, cloudSyncTask } from '../tables.ts'
import { syncRuns, syncTask } from './run.ts'

/** Has tasks run at their times and by hand, and takes away what is left of machines that are gone. */
export function registerTaskCalls(kernel: Kernel, tasks: MountedResource<typeof cloudSyncTask>): void {
  const { app, db } = kernel
  const start = registerPlanTimes(kernel, {
    plans: tasks,
    job: 'cloud.sync',
    name: 'Sync machines of a cloud',
    schedule: 'Sync machines of clouds at their times',
    run: (run, log) => syncTask(kernel, run, log),
    runs: syncRuns,
  })
  const config = { access: ['org_admin'], needsLicense: true } as const
  app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: `${syncInstanceTask.path}:id/run/`,
    config: { ...config, changesOnGet: true, summary: 'Sync machines of a cloud now' },
    handler: async ({ call, params }) => ({
      task: await start(call, await rowInOrg(db, call, cloudSyncTask, params.id)),
    }),
  })
  app.route<{ Params: { id: string } }>({
    method: 'DELETE',
    url: `${syncInstanceTask.path}:id/released-assets/`,
    config: { ...config, summary: 'Delete the assets of machines that a cloud released' },
    handler: async ({ call, params }, reply) => {
      const change = changeOf(reply)
      const task = await rowInOrg(db, call, cloudSyncTask, params.id)
      const org = { id: task.org_id, name: (await kernel.orgNames()).get(task.org_id) ?? '' }
      await new SyncedAssets(kernel, { ...call, org }, change).remove(await releasedAssets(kernel, task.id))
      // Nothing of them is left to report.
      const { status, asset } = cloudInstance
      await db.delete(cloudInstance).where(and(eq(cloudInstance.task, task.id), eq(status, 3), isNull(asset)))
      return reply.status(204).send()
    },
  })
}

/** Assets of machines that are gone, for every task that knows them. */
async function releasedAssets({ db }: Kernel, task: string): Promise<string[]> {
  const { rows } = await db.execute<{ asset: string }>(sql`
    SELECT DISTINCT asset FROM cloud_instance r WHERE task = ${task} AND status = 3 AND asset IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM cloud_instance o WHERE o.asset = r.asset AND o.status <> 3)`)
  return rows.map(({ asset }) => asset)
}
