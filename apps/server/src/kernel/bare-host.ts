import { isIPv6 } from 'node:net'

/**
 * A host as sockets take it: an IPv6 address is also written in brackets, as it stands in addresses
 * of pages. Anything else stays as it is.
 */
export function bareHost(host: string): string {
  const inside = /^\s*\[(.*)\]\s*$/.exec(host)?.[1]
  return inside && isIPv6(inside) ? inside : host
}
