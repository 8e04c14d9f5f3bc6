import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Call } from '../../kernel/access/call.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** An IPv4 address in its IPv6 form (`::ffff:10.0.0.1`) counts as the IPv4 address. */
const parse = (text: string): Address | undefined => (ipaddr.isValid(text) ? ipaddr.process(text) : undefined)

/** An entry that names addresses: a network, or the first and the last of a range in either order. */
type Span = { network: Address; bits: number } | { ends: readonly [Address, Address] }

/** A single address is a range of one. Undefined for a name, and for what is no address. */
function readEntry(entry: string): Span | undefined {
  if (entry.includes('/')) {
    if (!ipaddr.isValidCIDR(entry)) return undefined
    const [network, bits] = ipaddr.parseCIDR(entry)
    return { network, bits }
  }
  const [first, last, ...more] = entry.split('-').map((part) => parse(part.trim()))
  if (first && last && !more.length) return first.kind() === last.kind() ? { ends: [first, last] } : undefined
  const single = parse(entry)
  return single && { ends: [single, single] }
}

/**
 * Whether an address is in a list of `*`, addresses, networks and ranges (whose ends may come in
 * either order); any other entry is a host name and must be equal
 * (docs/rules/acls.md#ip_group_syntax). An empty list contains nothing.
 */
export function isInIpGroup(address: string, group: readonly string[]): boolean {
  const parsed = parse(address)
  return group.some((entry) => entry === '*' || entry === address || (parsed !== undefined && holds(entry, parsed)))
}

/** Throws 400 on `ip_group` for an entry that is neither an address nor a network, range or name. */
export function checkIpGroup({ language }: Pick<Call, 'language'>, group: readonly string[]): void {
  const entry = group.find((one) => !isIpGroupEntry(one))
  if (entry !== undefined)
    throw invalid({ ip_group: translate(language, 'IP address invalid: `{{entry}}`', { entry }) })
}

/** The networks and ranges of a list as a database takes them; names, and what is no address, are left out. */
export function addressesOf(group: readonly string[]): { networks: string[]; ranges: [string, string][] } {
  const networks: string[] = []
  const ranges: [string, string][] = []
  for (const entry of group) {
    // An address of one link of a machine is no address elsewhere.
    const span = entry.includes('%') ? undefined : readEntry(entry)
    if (!span) continue
    if ('network' in span) networks.push(`${span.network.toString()}/${span.bits}`)
    else {
      const [first, last] = span.ends.toSorted(compare) as [Address, Address]
      ranges.push([first.toString(), last.toString()])
    }
  }
  return { networks, ranges }
}

function holds(entry: string, address: Address): boolean {
  const span = readEntry(entry)
  if (!span) return false
  if ('network' in span) return span.network.kind() === address.kind() && address.match(span.network, span.bits)
  const [first, last] = span.ends
  return first.kind() === address.kind() && compare(first, address) * compare(last, address) <= 0
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
