import { BlockList, isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Bits of an IPv6 address that its holder was given; the rest is theirs to choose (RFC 6177). */
const IPV6_PREFIX = 64

/**
 * The source of requests or connections that is counted as one: an IPv4 address, or the network of
 * an IPv6 address, because its holder has any number of addresses in it. Text that is no address is
 * returned as it is.
 */
export function sourceNetwork(address: string): string {
  if (isIPv4(address) || !ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_PREFIX}`).toString()
}

/**
 * Whether an address is among these addresses and networks; that of a socket that is gone, which has
 * none, is not.
 */
export function matcherOf(networks: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address = '') => isIP(address) > 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
