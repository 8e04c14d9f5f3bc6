import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { arrive } from '../../../kernel/arrivals/arrive.ts'
import { arrivePairs, endPairs, type PairOutcome, type PairPlace } from '../../../kernel/arrivals/arrive-pairs.ts'
import {
  assetsCommandFilter,
  assetsCommandFilterApplication,
  assetsCommandFilterAsset,
  assetsCommandFilterRule,
  assetsCommandFilterRuleReviewer,
  assetsCommandFilterSystemUser,
  assetsCommandFilterUser,
  assetsCommandFilterUserGroup,
} from '../tables.ts'

type Rows = readonly ArrivingRow[]

export const arriveFilters = (run: ArrivalRun, rows: Rows): Promise<Outcomes> =>
  arrive(run, { kind: 'command_filter', table: assetsCommandFilter }, rows)

export const arriveFilterRules = (run: ArrivalRun, rows: Rows): Promise<Outcomes> =>
  arrive(run, { kind: 'command_filter_rule', table: assetsCommandFilterRule }, rows)

const BOUND = {
  user: { kind: 'filter_user', table: assetsCommandFilterUser, columns: ['filter_id', 'user_id'] },
  group: { kind: 'filter_group', table: assetsCommandFilterUserGroup, columns: ['filter_id', 'group_id'] },
  asset: { kind: 'filter_asset', table: assetsCommandFilterAsset, columns: ['filter_id', 'asset_id'] },
  application: {
    kind: 'filter_application',
    table: assetsCommandFilterApplication,
    columns: ['filter_id', 'application_id'],
  },
  system_user: {
    kind: 'filter_system_user',
    table: assetsCommandFilterSystemUser,
    columns: ['filter_id', 'system_user_id'],
  },
  reviewer: { kind: 'filter_reviewer', table: assetsCommandFilterRuleReviewer, columns: ['rule_id', 'user_id'] },
} as const satisfies Record<string, PairPlace>
export type FilterPart = keyof typeof BOUND
export const FILTER_PARTS = Object.keys(BOUND) as FilterPart[]

/** Stores what filters are bound to, and the reviewers of rules. */
export const bindFilters = (
  run: ArrivalRun,
  part: FilterPart,
  pairs: readonly (readonly [string, string])[],
): Promise<PairOutcome> => arrivePairs(run, BOUND[part], pairs)

/** Ends what came before and has ended there. */
export const endFilterParts = (run: ArrivalRun, part: FilterPart): Promise<number> => endPairs(run, BOUND[part])
