import { AppError } from '../errors/app-error.ts'
import type { Call } from './call.ts'

/** The entry of a list of addresses that means all addresses. */
export const ANYWHERE = '*'

/** Whether the call came with a key or token that works from some addresses only. */
export const isLimited = ({ keyAddresses = [ANYWHERE] }: Pick<Call, 'keyAddresses'>): boolean =>
  !keyAddresses.includes(ANYWHERE)

/**
 * To be asked before something is made or changed by which somebody could come in from everywhere (a
 * password, a link, a person, an administrator, a rule or setting of signing in): a key that is
 * limited to addresses does none of that, so that nobody who comes by it stays when they have left
 * those. A route that always does says `opensWayIn` instead. Throws 403.
 */
export function refuseLimited(call: Pick<Call, 'keyAddresses'>): void {
  if (isLimited(call)) throw new AppError(403, 'key_limited_to_addresses', REFUSED)
}

const REFUSED = 'This API key works from some addresses only, and makes no way in from elsewhere'
