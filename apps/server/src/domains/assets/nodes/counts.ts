import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { checkRowCounts } from '../../../kernel/row-counts.ts'
import type { TaskLog } from '../../ops/index.ts'
import { assetsAsset } from '../tables.ts'

/**
 * Compares each organisation's counter of assets with its rows and corrects it. Counts of nodes
 * need no check, as they are computed when asked for. Answers how many were wrong.
 */
export async function checkAssetAmounts({ db }: Kernel, orgId: string, log: TaskLog): Promise<Record<string, unknown>> {
  const rows = await checkRowCounts(db, assetsAsset, orgId === ROOT_ORG_ID ? undefined : orgId)
  for (const { org_id, counted, kept } of rows)
    await log(`${org_id}: ${counted}${counted === kept ? '' : ` (${kept})`}`)
  return { wrong: rows.filter(({ counted, kept }) => counted !== kept).length }
}

/** Checks the counter every night (docs/rules/assets.md#node). */
export function scheduleCounts(kernel: Kernel): void {
  kernel.jobs.schedule(
    { name: 'assets.check_amounts_nightly', cron: '0 2 * * *', title: 'Check the asset counts of nodes' },
    async () => {
      await checkAssetAmounts(kernel, ROOT_ORG_ID, async () => {})
    },
  )
}
