import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { matcherOf } from '../../../kernel/access/source-network.ts'
import { ipv4Within, isClosed, isLoopback } from '../../../kernel/outbound/closed-addresses.ts'

/** A place that somebody asks to be connected to from a machine, as their client names it. */
export type AskedPlace = { host: string; port: number } | { path: string }

/** A place that was read: one form for each address, name and path. */
export type Place = { kind: 'address' | 'name'; host: string; port: number } | { kind: 'socket'; path: string }

const NAME_MAX = 253
/** Limit of a path of a socket: no system takes a longer one. */
const PATH_MAX = 108
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
/**
 * Resolvers take a name whose last part is a number for an address: 127.1, 0x7f.1, 2130706433.
 */
const NUMBER = /^(?:0x[0-9a-f]*|\d+)$/

/** A host name in lower case without the dot at its end; undefined for anything else. */
function nameOf(host: string): string | undefined {
  const name = host.toLowerCase().replace(/\.$/, '')
  const labels = name.split('.')
  const isName = name.length <= NAME_MAX && labels.every((label) => LABEL.test(label))
  return isName && !NUMBER.test(labels.at(-1) ?? '') ? name : undefined
}

/** A path without the detours that lead out of a folder; undefined for anything else. */
const pathOf = (path: string): string | undefined =>
  path.length <= PATH_MAX &&
  path.startsWith('/') &&
  // Nobody can read others in a list.
  !/\p{Cc}/u.test(path) &&
  path
    .slice(1)
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..')
    ? path
    : undefined

/**
 * Reads what a client asks for. Undefined for what is neither an address as it is written
 * commonly, nor a name, nor an absolute path: two readers could take it for two places.
 */
export function readPlace(asked: AskedPlace): Place | undefined {
  if ('path' in asked) {
    const path = pathOf(asked.path)
    return path === undefined ? undefined : { kind: 'socket', path }
  }
  const { port } = asked
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined
  const host = asked.host.replace(/^\[(.*)\]$/, '$1')
  if (host.includes('%')) return undefined
  if (isIP(host)) return { kind: 'address', host: ipaddr.process(ipv4Within(host)).toString(), port }
  const name = nameOf(host)
  return name === undefined ? undefined : { kind: 'name', host: name, port }
}

/** Whether a place is the machine's own, as it calls itself. */
export const isOwnLoopback = (place: Place): boolean =>
  place.kind === 'name' ? place.host === 'localhost' : place.kind === 'address' && isLoopback(place.host)

/** Whether nobody is connected to it, no matter what a permission lists: metadata of clouds and the like. */
export const isNowhere = (place: Place): boolean =>
  place.kind === 'address' ? isClosed(place.host) : place.kind === 'name' && METADATA.has(place.host)

/**
 * Names under which clouds have the metadata of a machine, as their documentation has them, and by
 * which machines find them in their own zone.
 */
const METADATA: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'metadata.packet.net',
])

/** A destination of a permission's list. */
export interface Destination {
  covers(place: Place): boolean
}

const PROBLEM = 'No destination: write name:port, *.name:port, address:port, network/bits:port or an absolute path'

/**
 * Reads a destination of a list: a host with a port, a range of ports, or none for all of them; or a
 * path of a socket, which may end in a star for everything in the folder. `localhost` is the machine
 * itself in all its forms. A network covers addresses alone: the machine resolves names, so that a
 * name is covered by names only.
 */
export function readDestination(
  text: string,
): { destination: Destination; problem?: undefined } | { destination?: undefined; problem: string } {
  const destination = text.startsWith('/') ? ofSocket(text) : ofHost(text)
  return destination ? { destination } : { problem: PROBLEM }
}

function ofSocket(text: string): Destination | undefined {
  const isFolder = text.endsWith('/*')
  const path = pathOf(isFolder ? text.slice(0, -2) : text)
  if (path === undefined || path.includes('*')) return undefined
  return {
    covers: (place) => place.kind === 'socket' && (isFolder ? place.path.startsWith(`${path}/`) : place.path === path),
  }
}

const HOST_AND_PORTS = /^(?:\[(?<inner>[^\]]+)\]|(?<host>[^:[\]]+))(?::(?<from>\d{1,5})(?:-(?<to>\d{1,5}))?)?$/

function ofHost(text: string): Destination | undefined {
  // An address of IPv6 by itself needs no brackets.
  const parts = isNetwork(text) ? { inner: text } : HOST_AND_PORTS.exec(text)?.groups
  if (!parts) return undefined
  const from = parts.from === undefined ? 1 : Number(parts.from)
  const to = parts.to === undefined ? (parts.from === undefined ? 65_535 : from) : Number(parts.to)
  if (from < 1 || to > 65_535 || from > to) return undefined
  const isHost = hostMatcher(parts.inner ?? parts.host ?? '', parts.inner !== undefined)
  return (
    isHost && {
      covers: (place) => place.kind !== 'socket' && place.port >= from && place.port <= to && isHost(place),
    }
  )
}

function hostMatcher(host: string, isAddress: boolean): ((place: Place & { host: string }) => boolean) | undefined {
  if (isNetwork(host)) {
    const isWithin = matcherOf([host])
    // An address of IPv4 is in networks of IPv4 alone, although IPv6 has room for it.
    const family = isIP(host.split('/')[0] ?? '')
    return (place) => place.kind === 'address' && isIP(place.host) === family && isWithin(place.host)
  }
  if (isAddress) return undefined
  const isBelow = host.startsWith('*.')
  const name = nameOf(isBelow ? host.slice(2) : host)
  if (name === undefined) return undefined
  if (isBelow) return (place) => place.kind === 'name' && place.host.endsWith(`.${name}`)
  return name === 'localhost' ? isOwnLoopback : (place) => place.kind === 'name' && place.host === name
}

/** An address, or a network of them. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (!family || more.length || address.includes('%') || ipv4Within(address) !== address) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
}
