import { type LookupAddress, lookup } from 'node:dns'
import { lookup as lookupNow } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { bareHost } from '../bare-host.ts'
import { isPreviewing, NoPreview, refuseInPreview } from '../database/previewing.ts'
import { ClosedAddress, isClosed } from './closed-addresses.ts'

/** Why no connection is made to an address; undefined: it may be. */
export type Judge = (address: string) => Error | undefined

/** For calls whose place a system administrator or the host's operator names: their own networks are open. */
export const judgeOutbound: Judge = (address) => (isClosed(address) ? new ClosedAddress(address) : undefined)

/** What speaks against a host as it is written; names are judged when they are resolved. */
export const judgeWritten = (host: string, judge: Judge): Error | undefined =>
  isIP(bareHost(host)) ? judge(bareHost(host)) : undefined

/**
 * Resolves a name for a connection, which is made to the addresses that were judged: asked twice, a
 * name may lead elsewhere the second time. A name with one closed address among others has none.
 */
export function judgedLookup(judge: Judge): LookupFunction {
  return (name, options, done) =>
    lookup(name, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return done(error, [])
      const refusal = addresses.map(({ address }) => judge(address)).find(Boolean)
      if (refusal) return done(refusal, [])
      const [first] = addresses
      if (options.all) done(null, addresses)
      else done(null, first?.address ?? '', first?.family)
    })
}

/** The address of a host, for packets that go without a connection. Throws where it has none, or a closed one. */
export async function judgedAddress(host: string, judge: Judge = judgeOutbound): Promise<LookupAddress> {
  refuseInPreview()
  const found = await lookupNow(bareHost(host))
  const refusal = judge(found.address)
  if (refusal) throw refusal
  return found
}

/**
 * A place as `net.connect` and `tls.connect` take it, so that they connect to addresses that were
 * judged. Throws what speaks against an address that is written out.
 */
export function judgedPlace(
  { host, port }: { host: string; port: number },
  judge: Judge = judgeOutbound,
): { host: string; port: number; lookup: LookupFunction } {
  refuseInPreview()
  const refusal = judgeWritten(host, judge)
  if (refusal) throw refusal
  return { host: bareHost(host), port, lookup: judgedLookup(judge) }
}

/** How undici connects where each address is judged, those that a redirect leads to as well. */
export function judgedConnector(
  options: buildConnector.BuildOptions = {},
  judge: Judge = judgeOutbound,
): buildConnector.connector {
  const connect = buildConnector({ ...options, lookup: judgedLookup(judge) })
  return (place, done) => {
    if (isPreviewing()) return done(new NoPreview(`a preview does not reach ${place.hostname}`), null)
    const refusal = judgeWritten(place.hostname, judge)
    if (refusal) done(refusal, null)
    else connect(place, done)
  }
}
