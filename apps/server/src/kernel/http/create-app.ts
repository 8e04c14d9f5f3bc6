import { parse } from 'node:querystring'
import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import websocket, { type WebSocket } from '@fastify/websocket'
import { WIRE } from '@sallyport/contract/constants.ts'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { matcherOf } from '../access/source-network.ts'
import { logBackgroundTo } from '../background.ts'
import { AppError } from '../errors/app-error.ts'
import { installErrorHandler, refuseAddress } from '../errors/error-handler.ts'
import { loggedError } from '../errors/logged-error.ts'
import type { InstallationLanguage } from '../i18n/language-of.ts'
import { keepLine } from '../log-tail.ts'
import { LINK_ADDRESS } from '../nodes/link-listener.ts'
import { answerPreviews } from './answer-previews.ts'
import { tellIgnoredQuery } from './ignored-query.ts'
import { registerQuickly } from './quick-routes.ts'
import { MANY_ROWS, ORDINARY, readJson } from './read-json.ts'
import { refuseUnreadable } from './unreadable-request.ts'

/** Bytes of ordinary bodies. */
const BODY_LIMIT = 2 * 1024 * 1024
/** Limit of routes with larger bodies: fifty thousand rows, or a hundred thousand ids. */
const LARGE_BODY_LIMIT = 16 * 1024 * 1024
/** Time limit for the head of a request, and for a connection that sends nothing. */
const HEADERS_TIMEOUT_MS = 15_000
/** How often that is looked after. */
const CHECK_MS = 5_000
/**
 * A websocket that broke the protocol gets a close code, and is cut off if it has not closed by
 * then.
 */
const HANG_UP_MS = 5_000
/** The client went away without a word. */
const LINE_BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])

export interface AppOptions {
  logLevel: string
  /**
   * Addresses of proxies whose X-Forwarded-For is believed; without any, the socket's address
   * counts.
   */
  trustedProxies: readonly string[]
  /** Bytes that an uploaded import file may have at this moment; a setting (A5.13). */
  uploadLimit: () => number
  /** For people who have not chosen one. */
  language?: InstallationLanguage | undefined
}

/** The HTTP side without any route: parsers, limits, logs, compression and security headers. */
export async function createApp({
  logLevel,
  trustedProxies,
  uploadLimit,
  language = 'cn',
}: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({
    bodyLimit: BODY_LIMIT,
    // `endStalledBodies` limits bodies.
    requestTimeout: 0,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: CHECK_MS },
    // Other nodes say where a request that they pass on came from.
    trustProxy: matcherOf([...trustedProxies, LINK_ADDRESS]),
    forceCloseConnections: true,
    frameworkErrors: refuseAddress,
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, language),
    rewriteUrl: ({ url = '/' }) => readableAddress(url),
    exposeHeadRoutes: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: 8192, // a comma list of ids (B7.38)
      // Not the default parser: an empty part (`?a=1&&b=1`) and double keys are normal here.
      querystringParser: (text) => parse(text.replace(/&{2,}/g, '&')) as Record<string, string>,
    },
    logger: {
      level: logLevel,
      hooks: { streamWrite: keepLine },
      redact: [
        'req.headers.authorization',
        'req.headers.cookie',
        'res.headers["set-cookie"]',
        // The options of the upload parser.
        'busboyOptions.headers',
      ],
      serializers: {
        // The path alone: query strings may carry tokens.
        req: (request) => ({ method: request.method, path: request.url?.split('?')[0], remote: request.ip }),
        err: loggedError,
      },
    },
  })
  logBackgroundTo(app.log)
  app.decorate('installationLanguage', language)
  registerQuickly(app)
  await app.register(cookie)
  await app.register(compress, { global: true, encodings: ['gzip'], threshold: 1024 })
  await app.register(websocket, {
    errorHandler: endSocket,
    options: {
      maxPayload: 1024 * 1024,
      handleProtocols: (protocols: Set<string>) =>
        protocols.has(WIRE.terminalSubprotocol) ? WIRE.terminalSubprotocol : false,
    },
  })
  app.addHook('onRoute', (route) => {
    if (route.config?.takesMany) route.bodyLimit ??= LARGE_BODY_LIMIT
  })
  app.addHook('preParsing', async (request, _reply, payload) => {
    refuseLargeBodiesInMemory(request)
    return payload
  })
  tellIgnoredQuery(app)
  answerPreviews(app)
  addParsers(app, uploadLimit)
  addSecurityHeaders(app)
  installErrorHandler(app)
  return app
}

/**
 * Slashes that stand twice in a path are read as one, as the servers did for which existing clients
 * and scripts were written. What was sent stays in `originalUrl`.
 */
function readableAddress(url: string): string {
  if (!url.startsWith('/')) return url
  const at = url.indexOf('?')
  const path = at < 0 ? url : url.slice(0, at)
  return `${path.replace(/\/{2,}/g, '/')}${at < 0 ? '' : url.slice(at)}`
}

/** Bodies that are stored as they arrive; any other body is first put together in memory. */
const STREAMED = /^(?:multipart\/form-data|application\/octet-stream)\s*(?:;|$)/i

/**
 * Where large files are taken, the limit is that of files alone. A text of half a gigabyte is more
 * than Node can hold, which would end the process, with everybody's sessions.
 */
function refuseLargeBodiesInMemory({ headers, routeOptions: { bodyLimit } }: FastifyRequest): void {
  if (bodyLimit <= LARGE_BODY_LIMIT || STREAMED.test(headers['content-type'] ?? '')) return
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity
  if (!(length <= LARGE_BODY_LIMIT)) throw new AppError(413, 'too_large', 'This call takes no body of that size.')
}

/**
 * A mistake of the client, such as a message beyond `maxPayload`, is no fault of ours: the library
 * has begun to close with its code (1009 there, RFC 6455 §7.4.1).
 */
function endSocket(error: NodeJS.ErrnoException, socket: WebSocket, { log }: FastifyRequest): void {
  const { code = '' } = error
  if (code.startsWith('WS_ERR_')) {
    log.info({ code }, 'a websocket broke the protocol')
    const timer = setTimeout(() => socket.terminate(), HANG_UP_MS)
    socket.once('close', () => clearTimeout(timer))
    return
  }
  if (LINE_BROKEN.has(code)) log.info({ code }, 'a websocket was cut off')
  else log.error({ err: error }, 'a websocket failed')
  socket.terminate()
}

/** Tables and workbooks, as browsers and scripts call them. */
const FILE_TYPES = [
  'text/csv',
  'application/csv',
  'text/tab-separated-values',
  'text/xlsx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.ms-excel',
]

/** The second is that of SCIM (RFC 7644 §3.1). */
const JSON_TYPES = ['application/json', 'application/scim+json']

function addParsers(app: FastifyInstance, uploadLimit: () => number): void {
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser(JSON_TYPES, { parseAs: 'string' }, (request, body, done) => {
    // Some clients name JSON and send nothing.
    if (body === '') return done(null, undefined)
    try {
      done(null, readJson(body as string, request.routeOptions.config.takesMany ? MANY_ROWS : ORDINARY))
    } catch (error) {
      if (error instanceof RangeError)
        return done(
          new AppError(413, 'too_large', 'The JSON holds more levels, keys or values than may be sent at once.'),
        )
      done(Object.assign(new SyntaxError('JSON parse error'), { statusCode: 400, code: 'bad_json' }))
    }
  })
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, { ...parse(body as string) }),
  )
  for (const type of FILE_TYPES) {
    // Not `parseAs` with a `bodyLimit`: that would be fixed at start, and this limit is a setting.
    // It is that of imports alone: elsewhere anybody could name this type and send as much.
    app.addContentTypeParser(type, (request: FastifyRequest, stream: AsyncIterable<Buffer>) => {
      const { config, bodyLimit } = request.routeOptions
      return readFile(request, stream, config.takesFile ? uploadLimit() : bodyLimit)
    })
  }
}

/** The whole body. Throws 413 as soon as it is, or says that it will be, larger than the limit. */
async function readFile({ headers }: FastifyRequest, stream: AsyncIterable<Buffer>, limit: number): Promise<Buffer> {
  const tooLarge = () => new AppError(413, 'too_large', 'The file is larger than an import may be.')
  if (Number(headers['content-length']) > limit) throw tooLarge()
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of stream) {
    size += piece.length
    if (size > limit) throw tooLarge()
    pieces.push(piece)
  }
  return Buffer.concat(pieces, size)
}

/**
 * No inline script anywhere; styles may be inline: documents hold those of their first paint. No
 * page may frame ours.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  // A link that starts a client program; nothing is ever shown in it (connection-token/client-url/).
  "frame-src 'self' jms:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Headers of every answer. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
}

function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply) => {
    reply.headers(SECURITY_HEADERS)
    if (!reply.hasHeader('Cache-Control')) reply.header('Cache-Control', 'no-store')
  })
}
