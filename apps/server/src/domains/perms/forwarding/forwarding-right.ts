import type { Forwarding } from '@sallyport/contract/forwarding.ts'
import {
  type AskedPlace,
  type Destination,
  isNowhere,
  isOwnLoopback,
  type Place,
  readDestination,
  readPlace,
} from './destination.ts'

/** Where somebody may be connected to from a machine: what all their permissions say together. */
export interface ForwardingRight {
  /** The machine itself. */
  machine: boolean
  /** As permissions list them. */
  destinations: readonly string[]
}

export const NO_FORWARDING: ForwardingRight = { machine: false, destinations: [] }

/** A permission, as far as forwarding goes. */
export interface ForwardingOfPermission {
  forwarding: Forwarding
  destinations: readonly string[]
}

export function combinedForwarding(permissions: readonly ForwardingOfPermission[]): ForwardingRight {
  const listed = permissions.filter(({ forwarding }) => forwarding === 'listed')
  return {
    machine: permissions.some(({ forwarding }) => forwarding === 'machine'),
    destinations: [...new Set(listed.flatMap(({ destinations }) => destinations))],
  }
}

export const forwardsAnything = ({ machine, destinations }: ForwardingRight): boolean =>
  machine || destinations.length > 0

/** Destinations that were read, by their text: they are asked for with each connection. */
const known = new Map<string, Destination | undefined>()
const KNOWN_MAX = 10_000

function destinationOf(text: string): Destination | undefined {
  if (!known.has(text)) {
    if (known.size >= KNOWN_MAX) known.clear()
    known.set(text, readDestination(text).destination)
  }
  return known.get(text)
}

/** Why a connection is not forwarded. */
export type NotForwarded = 'unreadable' | 'closed' | 'not_granted'

/**
 * Judges a place by what is asked for alone: nothing is resolved here. Answers the place as it is to
 * be asked of the machine.
 * @param ownAddress the machine's, as its asset has it
 */
export function judgePlace(
  right: ForwardingRight,
  asked: AskedPlace,
  ownAddress: string,
): { place: Place; refusal?: undefined } | { place?: undefined; refusal: NotForwarded } {
  const place = readPlace(asked)
  if (!place) return { refusal: 'unreadable' }
  if (isNowhere(place)) return { refusal: 'closed' }
  const isAllowed =
    (right.machine && isOfMachine(place, ownAddress)) ||
    right.destinations.some((text) => destinationOf(text)?.covers(place))
  return isAllowed ? { place } : { refusal: 'not_granted' }
}

function isOfMachine(place: Place, ownAddress: string): boolean {
  if (place.kind === 'socket' || isOwnLoopback(place)) return true
  const own = readPlace({ host: ownAddress, port: place.port })
  return own !== undefined && own.kind === place.kind && 'host' in own && own.host === place.host
}
