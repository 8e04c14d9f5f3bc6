import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { matcherOf } from '../access/source-network.ts'
import type { Config } from '../config.ts'
import type { Certificates } from './certificates.ts'
import { firstBytes } from './first-bytes.ts'
import { secureUrl } from './secure-url.ts'
import { isHttpsByItself, servesHttps } from './serves-https.ts'

/** For a client to begin, and again for its handshake. */
const HANDSHAKE_MS = 15_000
/** Browsers ask for nothing in clear for so long, once they have met a certificate that they trust. */
const HSTS = `max-age=${365 * 86_400}`
const HTTP_PORT = 80
const HTTPS_PORT = 443

/** What load balancers ask, which may know no certificate. */
const HEALTH = /^\/api\/(v1\/)?health\/?(\?|$)/
/** By these a proxy says that it is one. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-proto']

/** The connection on the network, by the one with TLS inside it. */
const outer = new WeakMap<object, Socket>()

/** The connection on the network that a request came by: the one that is counted. */
export const connectionOf = (socket: Socket): Socket => outer.get(socket) ?? socket

/** Clients that are not people: an authority that looks whether a name leads here (acme/). */
export interface Validators {
  /** Answers a request in clear; false where it is not for them. */
  answer(request: FastifyRequest, reply: FastifyReply): Promise<boolean>
  /** Takes a connection that begins with this record; false where it is not for them. */
  receive(socket: Socket, hello: Buffer): boolean
}

/** Where people connect to. */
export interface WebPort {
  /** Answers the address of the console. Call it once every route is registered. */
  listen(): Promise<string>
  /** Ports of HTTP, and of HTTPS where it is another one. */
  ports(): number[]
  /** Ends connections that have not begun yet; the others are those of the app. */
  close(): Promise<void>
}

/**
 * HTTP, and HTTPS where it is on: at one port, which takes both, or at one for each. Requests in clear
 * are led to HTTPS before anything else is done for them, so create it before other hooks are added.
 */
export function createWebPort(
  app: FastifyInstance,
  config: Config,
  certificates: Certificates,
  validators?: Validators,
): WebPort {
  const isHttps = servesHttps(config)
  const isByItself = isHttpsByItself(config)
  const isProxy = matcherOf(config.trustedProxies)
  /** Connections that came in clear and should not have. */
  const inClear = new WeakSet<object>()
  const beginning = new Set<Socket>()
  /** For HTTPS alone. */
  let https: Server | undefined

  app.addHook('onRequest', async (request, reply) => {
    if (await validators?.answer(request, reply)) return reply
    const { socket, headers } = request.raw
    if (!inClear.has(socket) || HEALTH.test(request.url)) return
    // A proxy that nobody has named. It has to be named, but people behind it need not be shut out.
    if (isByItself && FORWARDED.some((name) => headers[name] !== undefined)) return
    return reply
      .header('Connection', 'close')
      .redirect(secureUrl(request.raw, https && portOf(https), config.settings.SITE_URL), 307)
  })
  app.addHook('onSend', async ({ raw }, reply) => {
    if (outer.has(raw.socket) && certificates.inUse()?.trusted) reply.header('Strict-Transport-Security', HSTS)
  })

  /** Serves what a client sends, in clear or inside TLS, by `serve`. */
  async function receive(socket: Socket, serve: (socket: Socket) => void): Promise<void> {
    const begun = await firstBytes(socket, HANDSHAKE_MS)
    if (!begun) return void socket.destroy()
    if (!begun.isTls) {
      if (!isProxy(socket.remoteAddress)) inClear.add(socket)
      return serve(socket)
    }
    if (validators?.receive(socket, begun.hello)) return
    serve(await encrypted(socket, certificates.context()))
  }

  /**
   * Has both kinds of clients served by the app's own server, and so within its limits. What Node does
   * with a new connection is done once it is known what the client speaks.
   */
  function sortClients(server: HttpServer): void {
    const [serve] = server.listeners('connection') as ((socket: Socket) => void)[]
    if (!serve) throw new Error('the server takes no connections')
    server.off('connection', serve)
    server.on('connection', (socket: Socket) => {
      // Stays attached: a late error must not end the process.
      socket.on('error', () => socket.destroy())
      beginning.add(socket)
      receive(socket, (ready) => serve.call(server, ready))
        .catch((error) => {
          app.log.debug({ err: error }, 'a client of HTTPS')
          socket.destroy()
        })
        .finally(() => beginning.delete(socket))
    })
  }

  return {
    async listen() {
      const { host, httpPort } = config
      if (!isHttps) return app.listen({ host, port: httpPort })
      await app.ready()
      sortClients(app.server)
      // Fastify would listen at both addresses of that name, and know TLS at one of them.
      const only = host === 'localhost' ? '127.0.0.1' : host
      const url = new URL(await app.listen({ host: only, port: httpPort }))
      url.protocol = 'https:'
      const wanted = config.httpsPort ?? (httpPort === HTTP_PORT ? HTTPS_PORT : undefined)
      if (wanted === undefined) return url.origin
      https = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => app.server.emit('connection', socket))
      https.listen(wanted, only)
      await once(https, 'listening')
      url.port = String(portOf(https))
      return url.origin
    },
    ports: () => [app.server, ...(https ? [https] : [])].map(portOf),
    async close() {
      https?.close()
      for (const socket of beginning) socket.destroy()
    },
  }
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** Throws when the client leaves, or does not come to an end with its handshake in time. */
async function encrypted(socket: Socket, secureContext: SecureContext): Promise<TLSSocket> {
  const secure = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ['http/1.1'] })
  outer.set(secure, socket)
  const timer = setTimeout(() => secure.destroy(new Error('the handshake took too long')), HANDSHAKE_MS)
  // Stays attached: a late error must not end the process.
  secure.on('error', () => socket.destroy())
  try {
    await once(secure, 'secure', { signal: closed(socket) })
    return secure
  } finally {
    clearTimeout(timer)
  }
}

function closed(socket: Socket): AbortSignal {
  const gone = new AbortController()
  socket.once('close', () => gone.abort())
  return gone.signal
}
