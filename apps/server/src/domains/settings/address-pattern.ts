import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Whether a text is `*`, an address, a network such as 10.0.0.0/8, or a range such as
 * 10.0.0.1-10.0.0.9.
 */
export function isAddressPattern(text: string): boolean {
  if (text === '*' || isIP(text) > 0) return true
  if (text.includes('/')) return ipaddr.isValidCIDR(text)
  const [first = '', last = '', ...more] = text.split('-').map((part) => part.trim())
  return more.length === 0 && isIP(first) > 0 && isIP(first) === isIP(last)
}
