import { isIP } from 'node:net'
import { matcherOf } from '../access/source-network.ts'
import type { Config } from '../config.ts'

const isLoopbackAddress = matcherOf(['127.0.0.0/8', '::1'])

/** Whether nothing but this machine reaches what listens there. */
export function isLoopback(host: string): boolean {
  return isIP(host) ? isLoopbackAddress(host) : host.toLowerCase() === 'localhost'
}

type Listening = Pick<Config, 'host' | 'https' | 'tlsCertificate' | 'acmeDomains' | 'trustedProxies'>

/** HTTPS that nobody asked for: without it, passwords would cross the network in clear. */
export function isHttpsByItself({ host, https, tlsCertificate, acmeDomains, trustedProxies }: Listening): boolean {
  return https === 'auto' && !tlsCertificate && !acmeDomains.length && !isLoopback(host) && !trustedProxies.length
}

/** Whether the console and the API are served by HTTPS (docs/design/https.md). */
export function servesHttps(config: Listening): boolean {
  const { https, tlsCertificate, acmeDomains } = config
  if (https !== 'auto') return https === 'on'
  return Boolean(tlsCertificate) || acmeDomains.length > 0 || isHttpsByItself(config)
}
