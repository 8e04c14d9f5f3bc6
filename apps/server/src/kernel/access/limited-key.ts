import { AppError } from '../errors/app-error.ts'
import type { Call } from './call.ts'
import { isWhole } from './call-scope.ts'

/** The entry of a list of addresses that means all addresses. */
export const ANYWHERE = '*'

type Limits = Pick<Call, 'keyAddresses' | 'scope'>

const isLimitedInPlace = ({ keyAddresses = [ANYWHERE] }: Limits) => !keyAddresses.includes(ANYWHERE)
const isLimitedInCalls = ({ scope }: Limits) => scope !== undefined && !isWhole(scope)

/**
 * Whether the call came with a key or token that works from some addresses only, or may make some
 * calls only.
 */
export const isLimited = (call: Limits): boolean => isLimitedInPlace(call) || isLimitedInCalls(call)

/**
 * To be asked before something is made or changed by which somebody could come in from everywhere (a
 * password, a link, a person, an administrator, a rule or setting of signing in): a key that is
 * limited to addresses does none of that, so that nobody who comes by it stays when they have left
 * those; nor does one that is limited to some calls, which would reach the others that way. A route
 * that always does says `opensWayIn` instead. Throws 403.
 */
export function refuseLimited(call: Limits): void {
  if (isLimitedInPlace(call)) throw new AppError(403, 'key_limited_to_addresses', REFUSED)
  if (isLimitedInCalls(call)) throw new AppError(403, 'key_limited_to_calls', REFUSED_CALLS)
}

const REFUSED = 'This API key works from some addresses only, and makes no way in from elsewhere'
const REFUSED_CALLS = 'This service identity may make some calls only, and lets nobody in'
