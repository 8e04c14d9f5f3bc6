import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../kernel/errors/app-error.ts'
import { translateError } from '../../kernel/errors/translate-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'

export const SCIM_JSON = 'application/scim+json; charset=utf-8'
const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** RFC 7644 §3.12. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'invalidValue'

/** A refusal in the words of the protocol; its text is for the log of the provider, in English. */
export function scimError(status: number, scimType: ScimType | undefined, detail: string): AppError {
  return new AppError(status, scimType ?? 'bad_request', detail, { body: errorBody(status, detail, scimType) })
}

const errorBody = (status: number, detail: string, scimType?: string) => ({
  schemas: [ERROR_SCHEMA],
  status: String(status),
  ...(scimType ? { scimType } : {}),
  detail,
})

/** Attributes of SCIM for fields of ours. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  username: 'userName',
  email: 'emails',
  phone: 'phoneNumbers',
  users: 'members',
}
const TAKEN = 'This field must be unique.'

/** Status and body of whatever was thrown; undefined for a fault. */
export function refusalOf(thrown: unknown): { status: number; body: object } | undefined {
  const error = translateError(thrown, 'en')
  if (!(error instanceof AppError)) return undefined
  const { status, body, fields, message, values } = error
  if (body !== undefined) return { status, body: body as object }
  if (!fields) return { status, body: errorBody(status, translate('en', message, values)) }
  const texts = Object.entries(fields).map(
    ([name, some]) => `${ATTRIBUTES[name.split('.')[0] ?? ''] ?? name}: ${some.join(' ')}`,
  )
  return Object.values(fields).flat().includes(TAKEN)
    ? { status: 409, body: errorBody(409, texts.join('; '), 'uniqueness') }
    : { status, body: errorBody(status, texts.join('; '), 'invalidValue') }
}

/** Answers every error of a route in the shape of RFC 7644 §3.12. */
export function sendScimError(thrown: unknown, request: FastifyRequest, reply: FastifyReply) {
  const refusal = refusalOf(thrown)
  if (!refusal) {
    request.log.error({ err: thrown }, 'fault')
    return reply
      .status(500)
      .type(SCIM_JSON)
      .send(errorBody(500, `Internal server error, request ${request.id}`))
  }
  request.log.info({ status: refusal.status, ...refusal.body }, 'refused')
  if (refusal.status === 401) reply.header('WWW-Authenticate', 'Bearer')
  return reply.status(refusal.status).type(SCIM_JSON).send(refusal.body)
}
