import { isLoopback } from '../../../kernel/outbound/closed-addresses.ts'
import { type Judge, judgeOutbound, judgeWritten } from '../../../kernel/outbound/judged-lookup.ts'
import { CloudError } from './cloud-error.ts'

/**
 * Where no cloud is: what is closed to every call, and this server itself, since administrators of
 * organizations enter these addresses. A company's own networks are where private clouds are, and
 * open.
 */
export const judgeCloud: Judge = (address) =>
  isLoopback(address) || judgeOutbound(address)
    ? new CloudError('forbidden', 'this address is not open to clouds')
    : undefined

/** Throws for an address that is closed; names are looked at when they are resolved. */
export function checkReachable(hostname: string): void {
  const refusal = judgeWritten(hostname, judgeCloud)
  if (refusal) throw refusal
}
