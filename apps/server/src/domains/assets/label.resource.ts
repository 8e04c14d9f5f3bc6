import { label } from '@sallyport/contract/resources/assets/label.ts'
import { inArray, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ReadContext, StoredRow } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { assetsLabel, assetsLabelAsset } from './tables.ts'

type StoredLabel = StoredRow<typeof assetsLabel>

export default function mountLabel(kernel: Kernel): void {
  mountResource(kernel, label, {
    table: assetsLabel,
    relations: {
      assets: { table: assetsLabelAsset, owner: assetsLabelAsset.label_id, target: assetsLabelAsset.asset_id },
    },
    filters: {
      distinct: () =>
        sql`${assetsLabel.id} IN (SELECT DISTINCT ON (org_id, name) id FROM assets_label ORDER BY org_id, name, id)`,
    },
    computed: [
      { fields: ['asset_count'], load: countAssets },
      { fields: ['value'], load: joinValues },
    ],
    present: (row, _stored, { query }) => (query.distinct ? { name: row.name, value: row.value } : row),
  })
}

async function countAssets(rows: readonly StoredLabel[], { db }: ReadContext): Promise<Record<string, unknown>[]> {
  const counts = await db
    .select({ label: assetsLabelAsset.label_id, count: sql<number>`count(*)::int` })
    .from(assetsLabelAsset)
    .where(
      inArray(
        assetsLabelAsset.label_id,
        rows.map((row) => row.id),
      ),
    )
    .groupBy(assetsLabelAsset.label_id)
  const byLabel = new Map(counts.map((row) => [row.label, row.count]))
  return rows.map((row) => ({ asset_count: byLabel.get(row.id) ?? 0 }))
}

/**
 * With `distinct` each name is listed once, with all its values (docs/rules/assets.md#label).
 */
async function joinValues(
  rows: readonly StoredLabel[],
  { db, query }: ReadContext,
): Promise<Record<string, unknown>[]> {
  if (!query.distinct) return rows.map(() => ({}))
  const values = await db
    .select({
      org: assetsLabel.org_id,
      name: assetsLabel.name,
      value: sql<string>`string_agg(${assetsLabel.value}, ', ' ORDER BY ${assetsLabel.value})`,
    })
    .from(assetsLabel)
    .where(
      inArray(
        assetsLabel.name,
        rows.map((row) => row.name),
      ),
    )
    .groupBy(assetsLabel.org_id, assetsLabel.name)
  const byName = new Map(values.map((row) => [`${row.org} ${row.name}`, row.value]))
  return rows.map((row) => ({ value: byName.get(`${row.org_id} ${row.name}`) }))
}
