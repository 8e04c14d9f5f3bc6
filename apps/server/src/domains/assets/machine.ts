import { eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { assetsAsset, assetsPlatform } from './tables.ts'

export type TargetAsset = Pick<
  typeof assetsAsset.$inferSelect,
  'id' | 'org_id' | 'hostname' | 'ip' | 'protocols' | 'is_active' | 'domain' | 'admin_user'
>
export type TargetPlatform = Pick<typeof assetsPlatform.$inferSelect, 'name' | 'base' | 'charset' | 'meta'>

/** An asset and its platform, as connections need them. Undefined when it is gone. */
export async function loadMachine(db: Database, id: string) {
  const [machine] = await db
    .select({ asset: assetsAsset, platform: assetsPlatform })
    .from(assetsAsset)
    .innerJoin(assetsPlatform, eq(assetsPlatform.name, assetsAsset.platform))
    .where(eq(assetsAsset.id, id))
  return machine
}

/** A machine's report of its hardware and system. */
export type Facts = Partial<
  Pick<
    typeof assetsAsset.$inferInsert,
    | 'vendor'
    | 'model'
    | 'sn'
    | 'cpu_model'
    | 'cpu_count'
    | 'cpu_cores'
    | 'cpu_vcpus'
    | 'memory'
    | 'disk_total'
    | 'disk_info'
    | 'os'
    | 'os_version'
    | 'os_arch'
    | 'hostname_raw'
  >
>

/** Stores what an asset's machine says of itself. What is not in `facts` stays as it is. */
export async function storeFacts(db: Database, id: string, facts: Facts): Promise<void> {
  if (Object.keys(facts).length) await db.update(assetsAsset).set(facts).where(eq(assetsAsset.id, id))
}

/** Stores whether an asset could be logged in to just now. */
export async function storeConnectivity(db: Database, id: string, connectivity: 'ok' | 'failed'): Promise<void> {
  await db
    .update(assetsAsset)
    .set({ connectivity, date_verified: sql`now()` as unknown as Date })
    .where(eq(assetsAsset.id, id))
}

/** Whether the last test could log in to an asset, and when that was; `unknown`: never tested. */
export async function lastTestOf(
  db: Database,
  id: string,
): Promise<{ connectivity: string; date: Date | null } | undefined> {
  const { connectivity, date_verified: date } = assetsAsset
  const [test] = await db.select({ connectivity, date }).from(assetsAsset).where(eq(assetsAsset.id, id))
  return test
}

/** The privileged system users of those of these assets that have one, by the asset's id. */
export async function adminUsersOf(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (!ids.length) return new Map()
  const { id, admin_user } = assetsAsset
  const rows = await db
    .select({ id, admin_user })
    .from(assetsAsset)
    .where(inArray(id, [...ids]))
  return new Map(rows.flatMap((row) => (row.admin_user ? [[row.id, row.admin_user] as const] : [])))
}

/** Takes these system users from these assets, where they are the privileged one. */
export async function clearAdminUsers(
  db: Database,
  pairs: readonly { asset: string; systemuser: string }[],
): Promise<void> {
  if (!pairs.length) return
  await db.execute(sql`
    UPDATE ${assetsAsset} AS a SET admin_user = NULL
    FROM unnest(${sql.param(pairs.map(({ asset }) => asset))}::uuid[],
      ${sql.param(pairs.map(({ systemuser }) => systemuser))}::uuid[]) AS gone (asset, systemuser)
    WHERE a.id = gone.asset AND a.admin_user = gone.systemuser`)
}
