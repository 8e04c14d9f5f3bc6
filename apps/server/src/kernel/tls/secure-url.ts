import type { IncomingMessage } from 'node:http'

const STANDARD_PORT = 443
/** A host as browsers send it, with or without a port. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i

/**
 * The same address by HTTPS. Its port is that of `site` where the host is the same, since only that
 * says how people reach this server from outside; else the port of HTTPS, else the one that was asked.
 */
export function secureUrl(
  { headers, url = '/', socket }: Pick<IncomingMessage, 'headers' | 'url' | 'socket'>,
  httpsPort: number | undefined,
  site: string | undefined,
): string {
  const [, sent, asked] = HOST.exec(headers.host ?? '') ?? []
  const own = socket.localAddress?.includes(':') ? `[${socket.localAddress}]` : socket.localAddress
  const host = sent ?? own ?? 'localhost'
  const known = URL.parse(site ?? '')
  const isKnown = known?.protocol === 'https:' && known.hostname === host.toLowerCase()
  const port = isKnown ? known.port : (httpsPort ?? asked ?? '')
  const path = url.startsWith('/') ? url : '/'
  return `https://${host}${port && Number(port) !== STANDARD_PORT ? `:${port}` : ''}${path}`
}
