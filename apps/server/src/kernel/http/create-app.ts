import { parse } from 'node:querystring'
import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import websocket from '@fastify/websocket'
import { WIRE } from '@sallyport/contract/constants.ts'
import Fastify, { type FastifyInstance } from 'fastify'
import { installErrorHandler } from '../errors/error-handler.ts'

/** Bodies of ordinary calls: ten thousand rows fit. */
const BODY_LIMIT = 16 * 1024 * 1024
/** Uploaded import files (notes 4); ten MiB must always pass. */
export const UPLOAD_LIMIT = 30 * 1024 * 1024
/** A request that has not been sent whole by then is dropped: slow clients must not hold sockets. */
const REQUEST_TIMEOUT_MS = 60_000

export interface AppOptions {
  logLevel: string
  /** Addresses of proxies whose X-Forwarded-For is believed; without any, the socket's address counts. */
  trustedProxies: readonly string[]
}

/** The HTTP side without any route: parsers, limits, logs, compression and security headers. */
export async function createApp({ logLevel, trustedProxies }: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    trustProxy: trustedProxies.length ? [...trustedProxies] : false,
    forceCloseConnections: true,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: 8192, // a comma list of ids (spec B7.38)
      // Not the default parser: an empty part (`?a=1&&b=1`) and double keys are normal here.
      querystringParser: (text) => parse(text.replace(/&{2,}/g, '&')) as Record<string, string>,
    },
    logger: {
      level: logLevel,
      redact: ['req.headers.authorization', 'req.headers.cookie', 'res.headers["set-cookie"]'],
      serializers: {
        // The path alone: query strings may carry tokens.
        req: (request) => ({ method: request.method, path: request.url?.split('?')[0], remote: request.ip }),
      },
    },
  })
  await app.register(cookie)
  await app.register(compress, { global: true, encodings: ['gzip'], threshold: 1024 })
  await app.register(websocket, {
    options: {
      maxPayload: 1024 * 1024,
      handleProtocols: (protocols: Set<string>) => (protocols.has(WIRE.terminalSubprotocol) ? WIRE.terminalSubprotocol : false),
    },
  })
  addParsers(app)
  addSecurityHeaders(app)
  installErrorHandler(app)
  return app
}

function addParsers(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    // Some clients name JSON and send nothing.
    if (body === '') return done(null, undefined)
    try {
      done(null, JSON.parse(body as string))
    } catch {
      done(Object.assign(new SyntaxError('JSON parse error'), { statusCode: 400, code: 'bad_json' }))
    }
  })
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, { ...parse(body as string) }),
  )
  for (const type of ['text/csv', 'text/xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet']) {
    app.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit: UPLOAD_LIMIT }, (_request, body, done) => done(null, body))
  }
}

/** No inline script anywhere; styles may be inline because the component kit writes them. Nobody may frame us but ourselves. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'self'",
].join('; ')

function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply) => {
    reply.header('Content-Security-Policy', CONTENT_SECURITY_POLICY)
    reply.header('X-Content-Type-Options', 'nosniff')
    reply.header('X-Frame-Options', 'SAMEORIGIN')
    reply.header('Referrer-Policy', 'same-origin')
    if (!reply.hasHeader('Cache-Control')) reply.header('Cache-Control', 'no-store')
  })
}
