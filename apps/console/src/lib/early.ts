/**
 * Calls that `app/ahead.ts` has sent while the console's code was still on its way: the code that makes
 * the same call first gets their answers.
 */
import { WIRE } from '@sallyport/contract/constants.ts'
import { readCookie } from './cookies.ts'

interface EarlyCall {
  headers: string
  answer: Promise<Response>
}

const calls = () => ((globalThis as { earlyCalls?: Map<string, EarlyCall> }).earlyCalls ??= new Map())

/**
 * The zone that dates are answered in. The first `Intl.DateTimeFormat` of a page takes some 30 ms,
 * before anything is painted, so it is asked only where there is no `Temporal`.
 */
const timeZone = (): string => globalThis.Temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone

/** What every call says of its browser and organization. */
export function callHeaders(org: string | undefined): Record<string, string> {
  const csrf = readCookie(WIRE.csrfCookie)
  return {
    Accept: 'application/json',
    // A key that the server does not know is refused (RFC 7240): it would show more than was asked for.
    Prefer: 'handling=strict',
    [WIRE.timeZoneHeader]: timeZone(),
    ...(csrf ? { [WIRE.csrfHeader]: csrf } : {}),
    ...(org ? { [WIRE.orgHeader]: org } : {}),
  }
}

/** Sends a GET whose answer will be asked for soon. */
export function callEarly(address: string, org: string | undefined, timeoutMs: number): void {
  const headers = callHeaders(org)
  const answer = fetch(address, { headers, credentials: 'same-origin', signal: AbortSignal.timeout(timeoutMs) })
  // The caller that asks for it gets its failure.
  answer.catch(() => {})
  calls().set(address, { headers: JSON.stringify(headers), answer })
}

/** The answer of the very same call, once; undefined when it was not sent. */
export function earlyAnswer(address: string, headers: Readonly<Record<string, string>>): Promise<Response> | undefined {
  const call = calls().get(address)
  calls().delete(address)
  return call?.headers === JSON.stringify(headers) ? call.answer : undefined
}
