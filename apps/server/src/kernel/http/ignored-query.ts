import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppError } from '../errors/app-error.ts'
import { refusalBody } from '../errors/error-handler.ts'
import { unreadable } from '../resource/conditions.ts'
import { list, pageOf, singleValues } from '../resource/query.ts'
import { ignoredKeys, isReadKey, isStrictQuery, MOST_KEYS, unknownKeys, watchQuery } from '../watched-query.ts'

const HEADER = 'Sallyport-Ignored-Query'
/** Characters of each key that is named: the rest of a header is not theirs. */
const MOST_CHARACTERS = 64
const API = '/api/'

/**
 * Tells clients of the API which keys of their query had no effect, in a header of the answer: a
 * filter that is misspelled, or not there, shows everything. Clients that prefer it
 * (`Prefer: handling=strict`, RFC 7240) get 400 instead of what they read. Must be installed before
 * anything reads a query.
 */
export function tellIgnoredQuery(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    if (!request.url.startsWith(API) || !request.url.includes('?')) return
    request.query = watchQuery(request.query as object, prefersStrict(request))
  })
  // Also where a list has no pages: a client that asks for part of it must not take all of it for
  // that.
  app.addHook('preHandler', async (request) => {
    if (request.method === 'GET' && request.url.startsWith(API)) pageOf(singleValues(request.query))
  })
  app.addHook('onSend', async (request, reply, payload) => {
    const { statusCode } = reply
    if (statusCode < 200 || statusCode >= 300) return payload
    if (onlyReads(request) && hasUnknownOrder(request)) return refuse(request, reply, payload, unreadable('order'))
    if (isStrictQuery(request.query)) reply.header('Preference-Applied', 'handling=strict')
    const ignored = ignoredKeys(request.query).slice(0, MOST_KEYS)
    if (!ignored.length) return payload
    if (isStrictQuery(request.query) && onlyReads(request))
      return refuse(request, reply, payload, unknownKeys(ignored, request.call.language))
    reply.header(HEADER, ignored.map((key) => encodeURIComponent(key).slice(0, MOST_CHARACTERS)).join(', '))
    return payload
  })
}

const prefersStrict = ({ headers }: FastifyRequest) =>
  [headers.prefer ?? []].flat().some((line) => /(^|[,;\s])handling\s*=\s*"?strict"?\s*($|[,;])/i.test(line))

/** A call that has changed something gets its normal answer. */
const onlyReads = ({ method, routeOptions: { config } }: FastifyRequest) =>
  (method === 'GET' || method === 'HEAD') && !config.changesOnGet

/**
 * Whether rows that come in an order of their own are asked for by what is no field of theirs. One that
 * is has no effect, as on lists that are ordered by others.
 */
function hasUnknownOrder({ query, routeOptions: { config } }: FastifyRequest): boolean {
  if (!config.rows || isReadKey(query, 'order')) return false
  const { fields } = config.rows
  return list(singleValues(query).order).some((word) => !Object.hasOwn(fields, word.replace(/^-/, '')))
}

/** The refusal instead of what was about to be answered. */
function refuse(request: FastifyRequest, reply: FastifyReply, payload: unknown, refusal: AppError): string {
  // The rows of an export are read no further.
  if (payload && typeof payload === 'object' && 'destroy' in payload) (payload as { destroy(): void }).destroy()
  for (const name of ['content-length', 'content-disposition', 'content-encoding', 'etag']) reply.removeHeader(name)
  reply.status(400).type('application/json; charset=utf-8')
  return JSON.stringify(refusalBody(refusal, request.call.language))
}
