import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { createServer, type TLSSocket } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import type { NodeKey } from './certificate.ts'
import type { Nodes } from './nodes.ts'

/**
 * The remote address that is set on sockets from other nodes; no socket from outside can have it.
 * Only requests with it have their forwarding headers believed (http/create-app.ts).
 */
export const LINK_ADDRESS = '0.0.0.0'

/** Whether another node passed this request on. */
export const isPassedOn = ({ socket }: IncomingMessage): boolean => socket.remoteAddress === LINK_ADDRESS

/** Where other nodes ask whether this one is alive; answered without the database. */
export const ALIVE_PATH = '/link/alive'

const HANDSHAKE_MS = 5_000
/** Limit for all nodes together, including strangers that have not been refused yet. */
const MAX_CONNECTIONS = 8_000
/** How long an idle connection is kept: longer than the other end keeps it. */
const KEEP_ALIVE_MS = 60_000

export interface LinkListener {
  address: string
  port: number
  /** Breaks off what is in progress as well. */
  close(): Promise<void>
}

/**
 * Listens for requests that other nodes pass on: the same routes as outside, over TLS 1.3, for
 * clients with the certificate of a node only.
 */
export async function openLinkListener(
  app: FastifyInstance,
  nodes: Pick<Nodes, 'isKnown'>,
  { privateKey, certificate }: NodeKey,
  config: Pick<Config, 'host' | 'linkHost' | 'linkPort' | 'linkAddress'>,
): Promise<LinkListener> {
  const sockets = new Set<Socket>()
  // The node in front limits how long a request may take to arrive.
  const http = createHttpServer({ requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    if (request.url === ALIVE_PATH) response.writeHead(204).end()
    else app.routing(request, response)
  })
  http.on('upgrade', (request, socket, head) => app.server.emit('upgrade', request, socket, head))
  const admit = async (socket: TLSSocket) => {
    const shown = socket.getPeerX509Certificate()
    if (!shown || !(await nodes.isKnown(shown.toString()))) {
      app.log.warn({ remote: socket.remoteAddress }, 'refused at the node link: not the certificate of a node')
      return void socket.destroy()
    }
    Object.defineProperty(socket, 'remoteAddress', { value: LINK_ADDRESS })
    socket.setNoDelay(true)
    http.emit('connection', socket)
  }
  const server = createServer({
    key: privateKey,
    cert: certificate,
    minVersion: 'TLSv1.3',
    requestCert: true,
    // Self-signed: `admit` checks whether it is the certificate of a node.
    rejectUnauthorized: false,
    handshakeTimeout: HANDSHAKE_MS,
  })
  server.maxConnections = MAX_CONNECTIONS
  server.on('secureConnection', (socket) => {
    socket.on('error', () => socket.destroy())
    admit(socket).catch((error) => {
      app.log.error({ err: error }, 'node link')
      socket.destroy()
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // A peer that vanishes without a word must not stay for hours.
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
  })
  server.on('tlsClientError', (error) => app.log.debug({ err: error }, 'node link'))
  const host = config.linkHost ?? config.host
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.linkPort, host, resolve)
  })
  const { address, port } = server.address() as AddressInfo
  return {
    address: config.linkAddress ?? reachable(address, host),
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        http.close()
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** For a node that listens on all addresses: the first that others can reach. */
function reachable(address: string, host: string): string {
  if (address !== '0.0.0.0' && address !== '::') return host
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? [])
  const outer = all.filter(({ internal, scopeid }) => !internal && !scopeid)
  const found = outer.find(({ family }) => family === 'IPv4') ?? outer[0]
  return found?.address ?? '127.0.0.1'
}
