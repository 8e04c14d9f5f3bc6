import { sql } from 'drizzle-orm'
import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { arrive } from '../../../kernel/arrivals/arrive.ts'
import { arrivePairs, endPairs, type PairOutcome, type PairPlace } from '../../../kernel/arrivals/arrive-pairs.ts'
import {
  assetsAccount,
  assetsSystemUser,
  assetsSystemUserGroup,
  assetsSystemUserNode,
  assetsSystemUserUser,
} from '../tables.ts'

type Rows = readonly ArrivingRow[]

export const arriveSystemUsers = (run: ArrivalRun, rows: Rows): Promise<Outcomes> =>
  arrive(run, { kind: 'system_user', table: assetsSystemUser }, rows)

/** The system users that people log in as before they switch; all of them have come. */
export const arriveSwitchSources = (run: ArrivalRun, rows: Rows): Promise<Outcomes> =>
  arrive(run, { kind: 'system_user_su', table: assetsSystemUser, isPart: true }, rows)

/**
 * Stores accounts on assets. A trigger gives them the organization of the asset. Accounts that exist on
 * the machines already are not pushed to them again.
 */
export async function arriveAccounts(run: ArrivalRun, rows: Rows): Promise<Outcomes> {
  const outcomes = await arrive(run, { kind: 'account', table: assetsAccount }, rows)
  const added = rows.filter(({ key }) => outcomes.get(key) === 'added').map(({ id }) => id)
  await run.db.execute(sql`
    UPDATE assets_account SET push_due = false WHERE push_due AND id = ANY (${sql.param(added)}::uuid[])`)
  return outcomes
}

const BOUND = {
  node: { kind: 'system_user_node', table: assetsSystemUserNode, columns: ['systemuser', 'node'] },
  user: { kind: 'system_user_user', table: assetsSystemUserUser, columns: ['systemuser', 'user'] },
  group: { kind: 'system_user_group', table: assetsSystemUserGroup, columns: ['systemuser', 'group'] },
} as const satisfies Record<string, PairPlace>
export type BoundTo = keyof typeof BOUND

/**
 * Stores what system users are bound to; before their accounts come, which otherwise would be pushed to
 * their machines for each person.
 */
export const bindArrived = (
  run: ArrivalRun,
  to: BoundTo,
  pairs: readonly (readonly [systemUser: string, to: string])[],
): Promise<PairOutcome> => arrivePairs(run, BOUND[to], pairs)

export const endBound = (run: ArrivalRun, to: BoundTo): Promise<number> => endPairs(run, BOUND[to])
