import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { matcherOf } from '../access/source-network.ts'

/**
 * Where nothing is that this server has to call: what tells a host's secrets (metadata services of
 * clouds), many, or nobody. And forms of IPv6 that lead to an address of IPv4 which they do not show:
 * nobody enters those, and translators of the network would take them to a closed one.
 */
const isNowhere = matcherOf([
  '0.0.0.0/8',
  // The link, and on it the metadata of most clouds.
  '169.254.0.0/16',
  'fe80::/10',
  // Metadata elsewhere: Alibaba, Azure, Oracle, Amazon and Google in IPv6.
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::/32',
  'fd20:ce::254',
  // Many, reserved, and all.
  '224.0.0.0/3',
  'ff00::/8',
  // IPv4-compatible (RFC 4291 §2.5.5.1), with nobody's address among them; ::1 is looked at before.
  '::/96',
  // IPv4-translated (RFC 2765), 6to4 (RFC 3056), Teredo (RFC 4380), NAT64 of a network's own (RFC 8215).
  '::ffff:0:0:0/96',
  '2002::/16',
  '2001::/32',
  '64:ff9b:1::/48',
])
const isOwn = matcherOf(['127.0.0.0/8', '::1'])

/** Why a connection is not made to an address. */
export class ClosedAddress extends Error {
  constructor(address: string) {
    super(`${address} is closed to connections from here`)
    this.name = 'ClosedAddress'
  }
}

/** Whether an address is this machine, as it calls itself. False for what is no address. */
export const isLoopback = (address: string): boolean => isOwn(ipv4Within(address))

/**
 * Whether this server never connects to an address, no matter who names it. False for text that is
 * no address.
 */
export function isClosed(address: string): boolean {
  return !isOwn(address) && (isNowhere(address) || isNowhere(ipv4Within(address)))
}

/**
 * The IPv4 address that an IPv6 address represents (`::ffff:a.b.c.d`; `64:ff9b::a.b.c.d`, by which
 * networks without IPv4 reach all the rest, RFC 6052 §2.1), else the address itself.
 */
export function ipv4Within(address: string): string {
  if (isIP(address) !== 6) return address
  const parsed = ipaddr.parse(address)
  const isTranslated = parsed.range() === 'ipv4Mapped' || parsed.range() === 'rfc6052'
  return isTranslated ? parsed.toByteArray().slice(-4).join('.') : address
}
