import { type Arrival, CHECK_COOKIE, CHECKED_HEADERS } from '@sallyport/contract/proxy-check.ts'
import type { FastifyRequest } from 'fastify'
import { matcherOf } from '../../../kernel/access/source-network.ts'

/** Limit of a header in the answer. */
const MOST_CHARACTERS = 200
/** Limit of the addresses and networks in the answer. */
const MOST_PROXIES = 50

/** Describes a request: how it came, and what its proxies claim about it. */
export function arrivals(trustedProxies: readonly string[]): (request: FastifyRequest) => Omit<Arrival, 'new_cookie'> {
  const isTrusted = matcherOf(trustedProxies)
  return ({ headers, host, protocol, ip, socket, cookies }) => {
    const header = (name: string) => [headers[name]].flat().join(', ').slice(-MOST_CHARACTERS)
    const peer = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '')
    return {
      host: (host ?? '').slice(0, MOST_CHARACTERS),
      protocol,
      address: ip.replace(/^::ffff:(?=\d+\.)/, ''),
      peer,
      is_trusted: isTrusted(peer),
      is_encrypted: 'encrypted' in socket && socket.encrypted === true,
      forwarded: {
        for: header('x-forwarded-for'),
        proto: header('x-forwarded-proto'),
        host: header('x-forwarded-host'),
        others: ['forwarded', 'via', 'x-real-ip'].map(header).filter(Boolean).join(', ').slice(0, MOST_CHARACTERS),
      },
      cookie: (cookies[CHECK_COOKIE] ?? '').slice(0, MOST_CHARACTERS),
      missing_headers: CHECKED_HEADERS.filter((name) => headers[name] === undefined),
      trusted_proxies: trustedProxies.slice(0, MOST_PROXIES),
    }
  }
}
