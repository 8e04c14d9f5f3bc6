import { domain } from '@sallyport/contract/resources/assets/domain.ts'
import { and, eq, inArray, isNull, ne, notInArray, or, sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ReadContext, StoredRow, WrittenContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { applicationCounts } from '../application-counts.ts'
import { assetsAsset, assetsDomain, assetsGateway } from '../tables.ts'
import { gatewayAnswer, openForComponent } from './gateway.resource.ts'

type StoredDomain = StoredRow<typeof assetsDomain>
type Written = WrittenContext<typeof domain, typeof assetsDomain>

/** Networks that are reached through gateways (docs/rules/assets.md#domain). */
export default function mountDomain(kernel: Kernel): void {
  mountResource(kernel, domain, {
    table: assetsDomain,
    // Selects another shape of the answer, see `loadGateways`; filters nothing.
    filters: { gateway: () => undefined },
    computed: [
      { fields: ['assets', 'asset_count'], load: loadAssets },
      { fields: ['gateway_count'], load: loadGateways },
      { fields: ['application_count'], load: countApplications },
    ],
    rules: { afterWrite: [replaceAssets] },
    present(row, stored, { query }) {
      if (!query.gateway) return row
      const { id, name, comment, date_created, org_id, org_name } = row
      return { id, name, comment, date_created, gateways: GATEWAYS.get(stored) ?? [], org_id, org_name }
    },
  })
}

async function loadAssets(rows: readonly StoredDomain[], { db }: ReadContext): Promise<Record<string, unknown>[]> {
  const found = await db
    .select({
      domain: assetsAsset.domain,
      assets: sql<string[]>`array_agg(${assetsAsset.id}::text ORDER BY ${assetsAsset.id})`,
    })
    .from(assetsAsset)
    .where(
      inArray(
        assetsAsset.domain,
        rows.map((row) => row.id),
      ),
    )
    .groupBy(assetsAsset.domain)
  const byDomain = new Map(found.map((row) => [row.domain, row.assets]))
  return rows.map((row) => {
    const assets = byDomain.get(row.id) ?? []
    return { assets, asset_count: assets.length }
  })
}

/** Gateways of the rows being presented, for the shape with `?gateway=`. */
const GATEWAYS = new WeakMap<StoredDomain, unknown[]>()

async function loadGateways(rows: readonly StoredDomain[], context: ReadContext): Promise<Record<string, unknown>[]> {
  const gateways = await context.db
    .select()
    .from(assetsGateway)
    .where(
      inArray(
        assetsGateway.domain,
        rows.map((row) => row.id),
      ),
    )
    .orderBy(assetsGateway.name)
  const active = gateways.filter((gateway) => gateway.is_active)
  // Secrets are answered to components alone.
  const open = context.query.gateway ? await openForComponent(context, active) : undefined
  return rows.map((row) => {
    const own = gateways.filter((gateway) => gateway.domain === row.id)
    if (context.query.gateway)
      GATEWAYS.set(
        row,
        active.filter((gateway) => gateway.domain === row.id).map((gateway) => gatewayAnswer(context, gateway, open)),
      )
    return { gateway_count: own.length }
  })
}

async function countApplications(
  rows: readonly StoredDomain[],
  { db }: ReadContext,
): Promise<Record<string, unknown>[]> {
  const amounts = await applicationCounts(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map(({ id }) => ({ application_count: amounts.get(id) ?? 0 }))
}

/**
 * Replaces all assets of the domain: those that are not sent leave it
 * (docs/rules/assets.md#domain).
 */
async function replaceAssets({ db, draft, stored, note }: Written): Promise<void> {
  const ids = draft.assets
  if (!ids) return
  const idOnly = { id: assetsAsset.id }
  const removed = await db
    .update(assetsAsset)
    .set({ domain: null })
    .where(and(eq(assetsAsset.domain, stored.id), ids.length ? notInArray(assetsAsset.id, ids) : undefined))
    .returning(idOnly)
  const added = ids.length
    ? await db
        .update(assetsAsset)
        .set({ domain: stored.id })
        .where(and(inArray(assetsAsset.id, ids), or(isNull(assetsAsset.domain), ne(assetsAsset.domain, stored.id))))
        .returning(idOnly)
    : []
  note({ name: 'assets', added: added.map(({ id }) => id), removed: removed.map(({ id }) => id) })
}
