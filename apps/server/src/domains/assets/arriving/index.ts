import { sql } from 'drizzle-orm'
import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { arrive } from '../../../kernel/arrivals/arrive.ts'
import { arrivePairs, endPairs, type PairOutcome } from '../../../kernel/arrivals/arrive-pairs.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { adoptOrphans } from '../nodes/tree.ts'
import {
  assetsAsset,
  assetsAssetNode,
  assetsDomain,
  assetsFavoriteAsset,
  assetsGateway,
  assetsLabel,
  assetsLabelAsset,
  assetsPlatform,
} from '../tables.ts'

type Rows = readonly ArrivingRow[]

export { adoptOrphans } from '../nodes/tree.ts'
export { arriveNodes, leaveRoots, removeBareRoots, settleTree } from './nodes.ts'

/** Ids of new platforms, so many. */
export async function newPlatformIds(db: Database, count: number): Promise<number[]> {
  const { rows } = await db.execute<{ id: number }>(sql`
    SELECT nextval(pg_get_serial_sequence('assets_platform', 'id'))::int AS id FROM generate_series(1, ${count}::int)`)
  return rows.map(({ id }) => id)
}

export const allPlatforms = (db: Database): Promise<{ id: number; name: string }[]> =>
  db.select({ id: assetsPlatform.id, name: assetsPlatform.name }).from(assetsPlatform)

export const arrivePlatforms = (run: ArrivalRun, rows: Rows): Promise<Outcomes> =>
  arrive(run, { kind: 'platform', table: assetsPlatform }, rows)

export const arriveNetworks = (run: ArrivalRun, rows: Rows): Promise<Outcomes> =>
  arrive(run, { kind: 'network', table: assetsDomain }, rows)

export const arriveGateways = (run: ArrivalRun, rows: Rows): Promise<Outcomes> =>
  arrive(run, { kind: 'gateway', table: assetsGateway }, rows)

/** Stores assets, without their places in the tree. A new one is confirmed to be where it is there. */
export const arriveAssets = (run: ArrivalRun, rows: Rows): Promise<Outcomes> =>
  arrive(run, { kind: 'asset', table: assetsAsset }, rows)

/** The system users by which assets are administered; the system users have come. */
export const arriveAdminUsers = (run: ArrivalRun, rows: Rows): Promise<Outcomes> =>
  arrive(run, { kind: 'asset_admin_user', table: assetsAsset, isPart: true }, rows)

export const arriveLabels = (run: ArrivalRun, rows: Rows): Promise<Outcomes> =>
  arrive(run, { kind: 'label', table: assetsLabel }, rows)

const PLACES = { kind: 'asset_node', table: assetsAssetNode, columns: ['asset_id', 'node_id'] } as const
const LABELED = { kind: 'label_asset', table: assetsLabelAsset, columns: ['label_id', 'asset_id'] } as const
const FAVORITES = { kind: 'favorite', table: assetsFavoriteAsset, columns: ['user_id', 'asset'] } as const

type Pairs = readonly (readonly [string, string])[]

export const placeArrived = (run: ArrivalRun, pairs: Pairs): Promise<PairOutcome> => arrivePairs(run, PLACES, pairs)

/** Ends places that ended there, and puts assets of the import that are nowhere into their root. */
export async function endPlaces(run: ArrivalRun, assets: readonly string[]): Promise<number> {
  const ended = await endPairs(run, PLACES)
  await adoptOrphans(run.db, assets)
  return ended
}

export const labelArrived = (run: ArrivalRun, pairs: Pairs): Promise<PairOutcome> => arrivePairs(run, LABELED, pairs)
export const endLabeled = (run: ArrivalRun): Promise<number> => endPairs(run, LABELED)
export const favorArrived = (run: ArrivalRun, pairs: Pairs): Promise<PairOutcome> => arrivePairs(run, FAVORITES, pairs)
export const endFavorites = (run: ArrivalRun): Promise<number> => endPairs(run, FAVORITES)
