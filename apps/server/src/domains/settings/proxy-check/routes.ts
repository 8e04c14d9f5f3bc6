import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as after } from 'node:timers/promises'
import {
  BUSY_CODE,
  CHECK_COOKIE,
  CHECK_TOKEN_HEADER,
  MOST_SECONDS,
  type Observed,
  observed,
  PROXY_CHECK,
  STREAM_END,
} from '@sallyport/contract/proxy-check.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isSuperAdmin } from '../../../kernel/access/call.ts'
import { awaitedLater } from '../../../kernel/background.ts'
import { AppError, invalid, notFound } from '../../../kernel/errors/app-error.ts'
import { SECURITY_HEADERS } from '../../../kernel/http/create-app.ts'
import { type Say, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import type { SettingsStore } from '../store.ts'
import { arrivals } from './arrival.ts'
import { checkTokens } from './check-token.ts'
import type { ProxyFinding } from './finding.ts'
import { judgeProxy } from './judge.ts'
import { PROXIES, type ProxyName } from './mend-lines.ts'

/** Requests that wait at a time, of all who check. */
const MOST_WAITING = 30
const BODY_LIMIT = 4 * 1024 * 1024
const COOKIE_SECONDS = 60

const body = z.object({ padding: z.string() })
const query = z.object({ seconds: z.coerce.number().min(0).max(MOST_SECONDS).default(0) })

type Hook = (request: FastifyRequest) => Promise<void>

/**
 * The self-test of the proxy: says how a request arrived, waits, takes a body, and puts what a
 * client observed into words. Browsers of system administrators ask, and commands with a token of
 * their own (`check-proxy.ts`); to everybody else nothing is there.
 */
export function registerProxyCheck(kernel: Kernel, settings: SettingsStore): void {
  const { app, secrets } = kernel
  const tokens = checkTokens(secrets)
  const onRequest: Hook = async ({ call, headers }) => {
    if (isSuperAdmin(call)) return
    if (!tokens.take(String(headers[CHECK_TOKEN_HEADER] ?? ''))) throw notFound()
  }
  registerArrival(kernel, onRequest)
  registerWaiting(app, onRequest)
  registerBody(app, onRequest)
  app.route({
    method: 'GET',
    url: PROXY_CHECK.findings,
    config: { access: ['super_admin'], summary: 'Check of the proxy: what was observed, in words' },
    handler: async (request) => {
      const say: Say = (english, values) => translate(request.call.language, english, values)
      const seen = readObserved(singleValues(request.query).observed)
      return judgeProxy(seen, settings.get('SITE_URL')).map((finding) => shown(finding, say))
    },
  })
}

const of = (what: string) => ({ access: ['anonymous'] as const, summary: `Check of the proxy: ${what}` })

function registerArrival({ app, config }: Kernel, onRequest: Hook): void {
  const arrivalOf = arrivals(config.trustedProxies)
  app.route({
    method: 'GET',
    url: PROXY_CHECK.arrival,
    config: {
      ...of('how this request arrived'),
      answers: {
        fields: plainFields({
          host: 'string',
          protocol: 'string',
          address: 'string',
          peer: 'string',
          is_trusted: 'boolean',
          is_encrypted: 'boolean',
          forwarded: 'object',
          cookie: 'string',
          missing_headers: 'strings',
          trusted_proxies: 'list',
          new_cookie: 'string',
          sent_headers: 'object',
        }),
      },
    },
    onRequest,
    handler: async (request, reply) => {
      const new_cookie = randomBytes(12).toString('base64url')
      reply.setCookie(CHECK_COOKIE, new_cookie, {
        path: PROXY_CHECK.base,
        httpOnly: true,
        sameSite: 'lax',
        secure: request.protocol === 'https',
        maxAge: COOKIE_SECONDS,
      })
      return { ...arrivalOf(request), new_cookie, sent_headers: SECURITY_HEADERS }
    },
  })
}

function registerWaiting(app: FastifyInstance, onRequest: Hook): void {
  let waiting = 0
  /**
   * Begins to wait for as long as was asked for, or until the client has gone.
   * Throws 400 for what is too long, 429 when too many wait.
   */
  const wait = (request: FastifyRequest, signal: AbortSignal): Promise<void> => {
    const { seconds } = query.parse(singleValues(request.query))
    if (waiting >= MOST_WAITING)
      throw new AppError(429, 'too_many_requests', 'Too many requests: try again in a minute')
    waiting++
    return after(seconds * 1000, undefined, { signal })
      .catch(() => {})
      .finally(() => waiting--)
  }
  app.route({
    method: 'GET',
    url: PROXY_CHECK.slow,
    config: { ...of('an answer that takes long'), answers: { fields: plainFields({ waited: 'boolean' }) } },
    onRequest,
    handler: async (request, reply) => {
      await wait(request, goneFrom(reply))
      return { waited: true }
    },
  })
  app.route({
    method: 'GET',
    url: PROXY_CHECK.stream,
    config: { ...of('an answer in two pieces'), answers: 'file' },
    // It would hold the first piece back itself.
    compress: false,
    onRequest,
    handler: async (request, reply) => {
      const waited = awaitedLater(wait(request, goneFrom(reply)))
      async function* pieces() {
        yield Buffer.from('\n')
        await waited
        yield Buffer.of(STREAM_END)
      }
      return reply.type('application/octet-stream').send(Readable.from(pieces(), { objectMode: false }))
    },
  })
  app.route({
    method: 'GET',
    url: PROXY_CHECK.socket,
    config: { ...of('a websocket on which nothing is said'), answers: 'socket' },
    onRequest,
    handler: (_request, reply) => reply.status(426).send({ detail: 'Upgrade Required', code: 'bad_request' }),
    wsHandler: async (socket, request) => {
      const gone = new AbortController()
      socket.on('close', () => gone.abort())
      try {
        const waited = awaitedLater(wait(request, gone.signal))
        socket.send('open')
        await waited
        socket.send('kept')
        socket.close(1000)
      } catch {
        socket.close(BUSY_CODE)
      }
    },
  })
}

function goneFrom({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  return gone.signal
}

function registerBody(app: FastifyInstance, onRequest: Hook): void {
  app.route({
    method: 'POST',
    url: PROXY_CHECK.body,
    bodyLimit: BODY_LIMIT,
    config: { ...of('a body of some size, which is not kept'), takes: body },
    onRequest,
    handler: async (request) => ({ bytes: body.parse(request.body).padding.length }),
  })
}

function readObserved(text = ''): Observed {
  if (!text) throw invalid({ observed: 'This field is required.' })
  try {
    return observed.parse(JSON.parse(text))
  } catch (error) {
    throw invalid({ observed: 'This value cannot be read.' }, error)
  }
}

const shown = ({ name, state, words, advice, lines, setting = '' }: ProxyFinding, say: Say) => ({
  name,
  state,
  words: words(say),
  mend: advice?.(say) ?? '',
  // Where the mend is one of Sallyport itself, the proxy is right.
  lines: Object.entries((!setting && lines) || {})
    .filter(([, its]) => its.length)
    .map(([proxy, its]) => ({ proxy: PROXIES[proxy as ProxyName], lines: its })),
  setting,
})
