import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { matcherOf, sourceNetwork } from '../access/source-network.ts'
import type { Config } from '../config.ts'
import { AppError } from '../errors/app-error.ts'
import { connectionOf } from '../tls/web-port.ts'

/** A connection on which nobody who is signed in has sent a request. */
interface Connection {
  socket: Socket
  source: string
  /** The request that is being received or answered on it. */
  request?: IncomingMessage | undefined
}

type Limits = Pick<Config, 'httpUnauthenticated' | 'httpUnauthenticatedOfAddress' | 'trustedProxies'>

/** How to stop counting a socket. */
const counted = new WeakMap<object, (() => void)[]>()

/**
 * Limits connections of which nobody is known. Must be installed before the access guard: none of it
 * asks the database.
 */
export function limitConnections(app: FastifyInstance, limits: Limits): void {
  limitSilent(app, limits)
  limitSockets(app, limits)
  // The first hook after all checks of the access guard.
  app.addHook('preParsing', async (request) => {
    if (request.call?.user) becomesKnown(request)
  })
}

/** Somebody is known behind this request: its connection counts no longer. */
export function becomesKnown({ raw }: FastifyRequest): void {
  const connection = connectionOf(raw.socket)
  for (const letGo of counted.get(connection) ?? []) letGo()
  counted.delete(connection)
}

function whenKnownOrClosed(socket: Socket, letGo: () => void): void {
  counted.set(socket, [...(counted.get(socket) ?? []), letGo])
  socket.once('close', letGo)
}

/**
 * Connections that are silent or send half a request. They never keep a newcomer out: when there is
 * no room, the source with most of them loses its oldest. Those of trusted proxies are not counted.
 */
function limitSilent(app: FastifyInstance, limits: Limits): void {
  const isProxy = matcherOf(limits.trustedProxies)
  /** In the order in which they came. */
  const all = new Map<Socket, Connection>()
  const bySource = new Map<string, Set<Connection>>()

  app.server.on('connection', (socket: Socket) => {
    if (isProxy(socket.remoteAddress)) return
    const source = sourceNetwork(socket.remoteAddress ?? '')
    const connection: Connection = { socket, source }
    const own = bySource.get(source) ?? new Set()
    bySource.set(source, own.add(connection))
    all.set(socket, connection)
    whenKnownOrClosed(socket, () => {
      all.delete(socket)
      own.delete(connection)
      if (!own.size) bySource.delete(source)
    })
    if (own.size > limits.httpUnauthenticatedOfAddress)
      giveUpOldest([...own].filter(isSilent), limits.httpUnauthenticatedOfAddress)
    if (all.size > limits.httpUnauthenticated) {
      const silent = [...all.values()].filter(isSilent)
      if (silent.length > limits.httpUnauthenticated) giveUpOldest(largestSource(silent), 0)
    }
  })
  app.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = all.get(connectionOf(request.socket))
    if (!connection) return
    connection.request = request
    response.once('close', () => {
      connection.request = undefined
    })
  })
  app.server.prependListener('upgrade', (request: IncomingMessage) => {
    const connection = all.get(connectionOf(request.socket))
    if (connection) connection.request = request
  })
}

/** Nothing of it is being answered. */
const isSilent = ({ request }: Connection) => !request?.complete

function largestSource(connections: readonly Connection[]): Connection[] {
  const groups = [...Map.groupBy(connections, ({ source }) => source).values()]
  return groups.reduce((largest, one) => (one.length > largest.length ? one : largest), [])
}

function giveUpOldest(connections: readonly Connection[], most: number): void {
  if (connections.length > most) connections[0]?.socket.destroy()
}

/**
 * Websockets of which nobody is known yet, by the address that a trusted proxy tells: one more is
 * refused, as each asks the database whose it is.
 */
function limitSockets(app: FastifyInstance, limits: Limits): void {
  const bySource = new Map<string, number>()
  let all = 0
  app.addHook('onRequest', async (request, reply) => {
    if (!request.ws) return
    const { raw } = request
    const source = sourceNetwork(request.ip)
    const own = bySource.get(source) ?? 0
    if (own >= limits.httpUnauthenticatedOfAddress || all >= limits.httpUnauthenticated) {
      reply.header('Retry-After', 60)
      throw new AppError(429, 'too_many_requests', 'Too many requests: try again in a minute')
    }
    bySource.set(source, own + 1)
    all++
    let isCounted = true
    whenKnownOrClosed(connectionOf(raw.socket), () => {
      if (!isCounted) return
      isCounted = false
      all--
      const left = (bySource.get(source) ?? 1) - 1
      if (left > 0) bySource.set(source, left)
      else bySource.delete(source)
    })
  })
}
