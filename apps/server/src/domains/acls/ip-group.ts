import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** An IPv4 address in its IPv6 form (`::ffff:10.0.0.1`) counts as the IPv4 address. */
const parse = (text: string): Address | undefined => (ipaddr.isValid(text) ? ipaddr.process(text) : undefined)

/**
 * Whether an address is in a list of `*`, addresses, networks and ranges (whose ends may come in
 * either order); any other entry is a host name and must be equal
 * (docs/rules/acls.md#ip_group_syntax). An empty list contains nothing.
 */
export function isInIpGroup(address: string, group: readonly string[]): boolean {
  const parsed = parse(address)
  return group.some((entry) => entry === '*' || entry === address || (parsed !== undefined && holds(entry, parsed)))
}

/**
 * The networks and ranges of a list as a database takes them: single addresses are networks of one.
 * Names, and what is no address, are left out.
 */
export function addressesOf(group: readonly string[]): { networks: string[]; ranges: [string, string][] } {
  const networks: string[] = []
  const ranges: [string, string][] = []
  for (const entry of group) {
    // An address of one link of a machine is no address elsewhere.
    if (entry.includes('%')) continue
    const single = parse(entry)
    const ends = readRange(entry)
    if (single) networks.push(single.toString())
    else if (entry.includes('/') && ipaddr.isValidCIDR(entry)) {
      const [network, bits] = ipaddr.parseCIDR(entry)
      networks.push(`${network.toString()}/${bits}`)
    } else if (ends && ends[0].kind() === ends[1].kind()) {
      const [first, last] = ends.toSorted(compare) as [Address, Address]
      ranges.push([first.toString(), last.toString()])
    }
  }
  return { networks, ranges }
}

function holds(entry: string, address: Address): boolean {
  if (entry.includes('/')) {
    if (!ipaddr.isValidCIDR(entry)) return false
    const [network, bits] = ipaddr.parseCIDR(entry)
    return network.kind() === address.kind() && address.match(network, bits)
  }
  const ends = readRange(entry)
  if (ends)
    return (
      ends.every((end) => end.kind() === address.kind()) && compare(ends[0], address) * compare(ends[1], address) <= 0
    )
  const same = parse(entry)
  return same !== undefined && same.kind() === address.kind() && compare(same, address) === 0
}

function readRange(entry: string): [Address, Address] | undefined {
  const [first, last, ...more] = entry.split('-').map((part) => parse(part.trim()))
  return first && last && !more.length ? [first, last] : undefined
}

const compare = (a: Address, b: Address) => Buffer.compare(Buffer.from(a.toByteArray()), Buffer.from(b.toByteArray()))

/**
 * Whether the address list of a login rule may have an entry: no host names, no network with host
 * bits, no range across families.
 */
export function isIpGroupEntry(entry: string): boolean {
  if (entry === '*' || isIP(entry) > 0) return true
  if (entry.includes('/')) return isNetwork(entry)
  const [first = '', last = '', ...more] = entry.split('-').map((part) => part.trim())
  return more.length === 0 && isIP(first) > 0 && isIP(first) === isIP(last)
}

function isNetwork(entry: string): boolean {
  const [address = '', bits = ''] = entry.split('/')
  if (!isIP(address) || !/^\d{1,3}$/.test(bits) || !ipaddr.isValidCIDR(entry)) return false
  const first =
    isIP(address) === 4 ? ipaddr.IPv4.networkAddressFromCIDR(entry) : ipaddr.IPv6.networkAddressFromCIDR(entry)
  return first.toString() === ipaddr.parse(address).toString()
}
