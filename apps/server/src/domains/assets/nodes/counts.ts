import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { TaskLog } from '../../ops/index.ts'
import { foldAssetCounts } from './tree.ts'

/**
 * Compares each organisation's counter of assets with its rows and corrects it. Counts of nodes
 * need no check, as they are computed when asked for. Answers how many were wrong.
 */
export async function checkAssetAmounts({ db }: Kernel, orgId: string, log: TaskLog): Promise<Record<string, unknown>> {
  const wrong = await db.transaction(async (tx) => {
    // Nobody may add or remove assets between the two counts.
    await tx.execute(sql`LOCK TABLE assets_asset IN SHARE MODE`)
    const { rows } = await tx.execute<{ org_id: string; counted: number; kept: number }>(sql`
      SELECT coalesce(a.org_id, c.org_id) AS org_id, coalesce(a.n, 0)::int AS counted, coalesce(c.n, 0)::int AS kept
      FROM (SELECT org_id, count(*) AS n FROM assets_asset GROUP BY org_id) a
      FULL JOIN (SELECT org_id, sum(delta) AS n FROM assets_asset_count GROUP BY org_id) c ON c.org_id = a.org_id
      WHERE ${orgId === ROOT_ORG_ID ? sql`true` : sql`coalesce(a.org_id, c.org_id) = ${orgId}`}`)
    const off = rows.filter((row) => row.counted !== row.kept)
    for (const row of off)
      await tx.execute(
        sql`INSERT INTO assets_asset_count (org_id, delta) VALUES (${row.org_id}, ${row.counted - row.kept})`,
      )
    for (const row of rows)
      await log(`${row.org_id}: ${row.counted}${row.counted === row.kept ? '' : ` (${row.kept})`}`)
    return off.length
  })
  return { wrong }
}

/**
 * Every minute folds the counter's rows into one for each organisation; every night checks it
 * (contract/assets.yaml node rules).
 */
export function scheduleCounts(kernel: Kernel): void {
  kernel.jobs.schedule('assets.fold_counts', '* * * * *', () => foldAssetCounts(kernel.db))
  kernel.jobs.schedule('assets.check_amounts_nightly', '0 2 * * *', async () => {
    await checkAssetAmounts(kernel, ROOT_ORG_ID, async () => {})
  })
}
