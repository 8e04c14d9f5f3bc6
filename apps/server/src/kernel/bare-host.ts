import { isIPv6 } from 'node:net'

/**
 * A host as sockets take it: without the brackets that an IPv6 address has in URLs. Anything else
 * is returned as it is.
 */
export function bareHost(host: string): string {
  const inside = /^\s*\[(.*)\]\s*$/.exec(host)?.[1]
  return inside && isIPv6(inside) ? inside : host
}
