import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { arrive } from '../../../kernel/arrivals/arrive.ts'
import { arrivePairs, endPairs, type PairOutcome } from '../../../kernel/arrivals/arrive-pairs.ts'
import { orgsMember, orgsOrganization } from '../tables.ts'

/** Stores organizations of another product. Each needs a root node of the assets as well. */
export const arriveOrganizations = (run: ArrivalRun, rows: readonly ArrivingRow[]): Promise<Outcomes> =>
  arrive(run, { kind: 'organization', table: orgsOrganization }, rows)

const MEMBERSHIPS = { kind: 'membership', table: orgsMember, columns: ['org', 'user', 'role'] } as const

/** Stores memberships: organization, person and role. */
export const arriveMemberships = (
  run: ArrivalRun,
  memberships: readonly (readonly [org: string, user: string, role: string])[],
): Promise<PairOutcome> => arrivePairs(run, MEMBERSHIPS, memberships)

/** Removes those that came before and have ended there. */
export const endArrivedMemberships = (run: ArrivalRun): Promise<number> => endPairs(run, MEMBERSHIPS)
