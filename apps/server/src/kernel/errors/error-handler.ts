import type { FieldErrors } from '@sallyport/contract/errors.ts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { languageOf } from '../i18n/language-of.ts'
import { type Language, translate } from '../i18n/translate.ts'
import { AppError, BulkError } from './app-error.ts'
import { translateError } from './translate-error.ts'
import { unavailablePage } from './unavailable-page.ts'

/**
 * Answers every error in the contract's shape, also Fastify's own refusals and unknown addresses.
 */
export function installErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler((thrown, request, reply) => {
    const language = languageFor(request)
    if (thrown instanceof BulkError) {
      return reply.status(400).send(thrown.rows.map((row) => (row ? nest(translated(row, language)) : {})))
    }
    const error = translateError(thrown, language)
    if (!(error instanceof AppError)) return sendFault(error, request, reply, language)
    // An error that an operator must act on is no everyday refusal.
    request.log[error.status < 500 ? 'info' : 'warn'](
      { code: error.code, status: error.status, fields: error.fields && Object.keys(error.fields) },
      'refused',
    )
    if (error.status === 413) letClientFinish(request, reply)
    if (error.status === 401) reply.header('WWW-Authenticate', challengeOf(request))
    reply.status(error.status)
    if (error.code === 'unavailable' && isPageWanted(request))
      return reply.type('text/html; charset=utf-8').send(unavailablePage(language))
    return reply.send(refusalBody(error, language))
  })
  app.setNotFoundHandler((request, reply) => {
    const language = languageFor(request)
    reply.status(404).send({ detail: translate(language, 'Not found.'), code: 'not_found' })
  })
}

function challengeOf(request: FastifyRequest): string {
  const { challenge = 'Sign access_key_id:Signature' } = request.routeOptions.config
  return typeof challenge === 'string' ? challenge : challenge(request)
}

/** A browser opens the address. */
const isPageWanted = ({ method, headers }: FastifyRequest) =>
  method === 'GET' && String(headers.accept ?? '').includes('text/html')

/** Bytes of a refused body that are read, and dropped. */
const MOST_REFUSED = 64 * 1024 * 1024

/**
 * A client that is still sending when its connection is closed reads no answer: so the connection
 * stays open, and Node drops the rest of a body that says how long it is.
 */
function letClientFinish({ headers }: FastifyRequest, reply: FastifyReply): void {
  if (Number(headers['content-length']) <= MOST_REFUSED) reply.removeHeader('connection')
}

/** Also of what is refused before it is known who calls. */
export const languageFor = (request: FastifyRequest): Language => request.call?.language ?? languageOf(request).language

/**
 * Malformed addresses reach neither a route nor the handler above; they are answered in the same
 * shape.
 */
export function refuseAddress({ statusCode = 400 }: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const detail = translate(languageFor(request), 'This address cannot be read: it is malformed or too long')
  reply.status(statusCode).send({ detail, code: 'bad_request' })
}

/** Body of a refusal: its own, else messages by field, else a sentence with its code. */
export function refusalBody({ body, fields, message, code, values }: AppError, language: Language): unknown {
  if (body !== undefined) return body
  return fields ? nest(translated(fields, language)) : { detail: translate(language, message, values), code }
}

function sendFault(error: unknown, request: FastifyRequest, reply: FastifyReply, language: Language) {
  request.log.error({ err: error }, 'fault')
  return reply
    .status(500)
    .send({ detail: translate(language, 'Internal server error'), code: 'internal', request_id: request.id })
}

function translated(fields: FieldErrors, language: Language): FieldErrors {
  return Object.fromEntries(
    Object.entries(fields).map(([field, texts]) => [field, texts.map((text) => translate(language, text))]),
  )
}

/**
 * Dotted names as the wire has them: `{'protocols.1': [text]}` → `{protocols: [[], [text]]}`.
 * Errors of a list are at the index of their element.
 */
export function nest(fields: FieldErrors): unknown {
  const root = branch('')
  for (const [path, texts] of Object.entries(fields)) place(root, path.split('.'), texts)
  return root
}

type Branch = Record<string, unknown> | unknown[]

/** An element of a list; no body has more of them than five digits count. */
const isIndex = (name: string) => /^\d{1,5}$/.test(name)

/** What holds an element or field of this name. Names may be a client's: objects have none of their own. */
const branch = (name: string): Branch => (isIndex(name) ? [] : Object.create(null))

function place(into: Branch, [head = '', ...rest]: string[], texts: string[]): void {
  const container = into as Record<string, unknown>
  if (Array.isArray(into)) {
    if (!isIndex(head)) return
    while (into.length < Number(head)) into.push([])
  }
  if (!rest.length) {
    container[head] = texts
    return
  }
  const existing = container[head]
  if (!existing || (Array.isArray(existing) && existing.length === 0)) container[head] = branch(rest[0] ?? '')
  place(container[head] as Branch, rest, texts)
}
