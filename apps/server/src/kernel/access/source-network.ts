import ipaddr from 'ipaddr.js'

/** Bits of an IPv6 address that its holder was given; the rest is theirs to choose (RFC 6177). */
const IPV6_PREFIX = 64

/**
 * What counts as one source of requests or connections: an IPv4 address, or the network of an IPv6
 * address, of which whoever holds it has any number of addresses. A text that is no address stands
 * for itself.
 */
export function sourceNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_PREFIX}`).toString()
}
