import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { checkRowCounts } from '../../../kernel/row-counts.ts'
import { runTask, startTask, type TaskLog } from '../../ops/index.ts'
import { assetsAsset } from '../tables.ts'

/**
 * Compares each organization's counter of assets with its rows and corrects it. Counts of nodes
 * need no check, as they are computed when asked for. Answers how many were wrong.
 */
export async function checkAssetAmounts({ db }: Kernel, orgId: string, log: TaskLog): Promise<Record<string, unknown>> {
  const rows = await checkRowCounts(db, assetsAsset, orgId === ROOT_ORG_ID ? undefined : orgId)
  for (const { org_id, counted, kept } of rows)
    await log(`${org_id}: ${counted}${counted === kept ? '' : ` (${kept})`}`)
  return { wrong: rows.filter(({ counted, kept }) => counted !== kept).length }
}

/** Checks the counter every night, and whenever an administrator asks for it (docs/rules/assets.md#node). */
export function registerAmountCheck(kernel: Kernel): void {
  const { app, jobs } = kernel
  jobs.work<{ task: string; org: string }>('assets.check_amounts', ({ task, org }) =>
    runTask(kernel, task, (log) => checkAssetAmounts(kernel, org, log)),
  )
  jobs.schedule(
    { name: 'assets.check_amounts_nightly', cron: '0 2 * * *', title: 'Check the asset counts of nodes' },
    async () => {
      await checkAssetAmounts(kernel, ROOT_ORG_ID, async () => {})
    },
  )
  app.route({
    method: 'POST',
    url: '/api/v1/assets/nodes/check_assets_amount_task/',
    config: {
      access: ['org_admin'],
      summary: 'Recount the assets of every node',
      answers: { fields: plainFields({ task: 'uuid' }) },
    },
    handler: async (request) => ({
      task: await startTask(kernel, request.call, {
        name: 'Check assets amount',
        job: 'assets.check_amounts',
        data: { org: request.call.org.id },
        orgId: request.call.org.id,
      }),
    }),
  })
}
