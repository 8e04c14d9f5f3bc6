import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { arrive } from '../../../kernel/arrivals/arrive.ts'
import { arrivePairs, endPairs, type PairOutcome } from '../../../kernel/arrivals/arrive-pairs.ts'
import { aclsLoginAcl, aclsLoginAclReviewer, aclsLoginAssetAcl, aclsLoginAssetAclReviewer } from '../tables.ts'

type Rows = readonly ArrivingRow[]

/** Stores rules about how people sign in. */
export const arriveLoginRules = (run: ArrivalRun, rows: Rows): Promise<Outcomes> =>
  arrive(run, { kind: 'login_rule', table: aclsLoginAcl }, rows)

/** Stores rules by which connecting to assets is reviewed. */
export const arriveConnectRules = (run: ArrivalRun, rows: Rows): Promise<Outcomes> =>
  arrive(run, { kind: 'connect_rule', table: aclsLoginAssetAcl }, rows)

const columns = ['acl_id', 'user_id'] as const
const REVIEWERS = {
  login: { kind: 'login_rule_reviewer', table: aclsLoginAclReviewer, columns },
  connect: { kind: 'connect_rule_reviewer', table: aclsLoginAssetAclReviewer, columns },
} as const
export type ReviewedRule = keyof typeof REVIEWERS

export const arriveReviewers = (
  run: ArrivalRun,
  of: ReviewedRule,
  pairs: readonly (readonly [rule: string, person: string])[],
): Promise<PairOutcome> => arrivePairs(run, REVIEWERS[of], pairs)

/** Ends reviewers that came before and have ended there. */
export const endReviewers = (run: ArrivalRun, of: ReviewedRule): Promise<number> => endPairs(run, REVIEWERS[of])
