import { DEVICES, type Device } from '@sallyport/contract/resources/assets/platform.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { assetsAsset, assetsPlatform } from './tables.ts'

/** Which network equipment a platform is; undefined for all else. */
export function deviceOf({
  base,
  meta,
}: Pick<typeof assetsPlatform.$inferSelect, 'base' | 'meta'>): Device | undefined {
  const device = String(meta?.device ?? '')
  return base === 'Other' && Object.hasOwn(DEVICES, device) ? (device as Device) : undefined
}

/** Those of these assets that are network equipment. */
export async function devicesAmong(db: Database, assets: readonly string[]): Promise<ReadonlySet<string>> {
  const { name, base, meta } = assetsPlatform
  const rows = await db
    .select({ id: assetsAsset.id, base, meta })
    .from(assetsAsset)
    .innerJoin(assetsPlatform, eq(name, assetsAsset.platform))
    .where(and(inArray(assetsAsset.id, [...assets]), sql`${meta} ? 'device'`))
  return new Set(rows.filter(deviceOf).map(({ id }) => id))
}
