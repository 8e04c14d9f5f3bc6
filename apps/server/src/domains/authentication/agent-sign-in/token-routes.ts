import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { requireSameOrigin } from '../../../kernel/access/same-origin.ts'
import { userAgentOf } from '../../../kernel/http/client-name.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { ACCESS_SECONDS, exchangeCode, type From, renewTokens, revokeToken, type Tokens } from './grants.ts'
import { programOf, registerProgram, registration } from './programs.ts'
import { LONGEST_URI } from './redirect-uri.ts'
import { AGENT_SCOPE, oauthRefusal, refuseWithoutPrograms, resourceOf } from './site.ts'

const BASE = '/api/v1/authentication/oauth/'
export const REGISTER_PATH = `${BASE}register/`
export const TOKEN_PATH = `${BASE}token/`
export const REVOKE_PATH = `${BASE}revoke/`

/** A registration is small; most of it are addresses. */
const BODY_LIMIT = 16 * 1024
/** Programs call these, without a cookie: what a browser sends along counts for nothing. */
const open = { access: ['anonymous'], withoutCaller: true, withoutCsrf: true } as const
const onRequest = async (request: FastifyRequest) => requireSameOrigin(request)

const secret = z.string().max(500)
const tokenBody = z.object({
  grant_type: z.enum(['authorization_code', 'refresh_token']),
  client_id: z.string().max(100),
  code: secret.optional(),
  redirect_uri: z.string().max(LONGEST_URI).optional(),
  code_verifier: z.string().max(200).optional(),
  refresh_token: secret.optional(),
  resource: z.string().max(LONGEST_URI).optional(),
  scope: z.string().max(500).optional(),
})
const revokeBody = z.object({ token: secret, client_id: z.string().max(100) })

const PROGRAM = plainFields({
  ...{ client_id: 'uuid', client_name: 'string', redirect_uris: 'strings', grant_types: 'strings' },
  ...{ response_types: 'strings', token_endpoint_auth_method: 'string', client_id_issued_at: 'integer' },
})
const TOKENS = plainFields({
  ...{ access_token: 'string', token_type: 'string', expires_in: 'integer', refresh_token: 'string', scope: 'string' },
})

/** The calls of programs that connect: they register, get tokens, and give them back. */
export function registerTokenRoutes(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'POST',
    url: REGISTER_PATH,
    bodyLimit: BODY_LIMIT,
    onRequest,
    config: {
      ...open,
      summary: 'Agents: a program registers itself (RFC 7591)',
      takes: registration,
      answers: { fields: PROGRAM },
      answerStatus: 201,
    },
    handler: async (request, reply) => {
      refuseWithoutPrograms(kernel)
      const { id, name, redirect_uris } = await registerProgram(kernel, request.body, request.ip)
      reply.status(201).header('Cache-Control', 'no-store')
      return {
        client_id: id,
        client_name: name,
        redirect_uris,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        client_id_issued_at: Math.floor(Date.now() / 1000),
      }
    },
  })
  app.route({
    method: 'POST',
    url: TOKEN_PATH,
    bodyLimit: BODY_LIMIT,
    onRequest,
    config: {
      ...open,
      summary: 'Agents: a code or a refresh token for tokens',
      takes: tokenBody,
      answers: { fields: TOKENS },
    },
    handler: async (request, reply) => {
      refuseWithoutPrograms(kernel)
      const tokens = await tokensFor(kernel, request)
      if (!tokens)
        throw oauthRefusal('invalid_grant', 'The code or token is not valid, was used before, or has expired')
      reply.header('Cache-Control', 'no-store')
      return {
        access_token: tokens.access,
        token_type: 'Bearer',
        expires_in: ACCESS_SECONDS,
        refresh_token: tokens.refresh,
        scope: AGENT_SCOPE,
      }
    },
  })
  app.route({
    method: 'POST',
    url: REVOKE_PATH,
    bodyLimit: BODY_LIMIT,
    onRequest,
    config: {
      ...open,
      summary: 'Agents: a program gives its tokens back (RFC 7009)',
      takes: revokeBody,
      answers: 'anything',
    },
    handler: async (request) => {
      refuseWithoutPrograms(kernel)
      const read = revokeBody.safeParse(request.body ?? {})
      if (!read.success) throw oauthRefusal('invalid_request', 'It takes token and client_id')
      const { token, client_id } = read.data
      // A token that is not there is as good as ended.
      if (await programOf(kernel, client_id)) await revokeToken(kernel, { token, program: client_id })
      return {}
    },
  })
}

async function tokensFor(kernel: Kernel, request: FastifyRequest): Promise<Tokens | undefined> {
  const given = (request.body ?? {}) as { grant_type?: unknown }
  const read = tokenBody.safeParse(given)
  if (!read.success) {
    const isOther =
      typeof given.grant_type === 'string' && !tokenBody.shape.grant_type.safeParse(given.grant_type).success
    throw isOther
      ? oauthRefusal('unsupported_grant_type', 'The grant types are authorization_code and refresh_token')
      : oauthRefusal('invalid_request', 'This is no request for a token as OAuth 2.1 has it')
  }
  const { grant_type, client_id, code, redirect_uri, code_verifier, refresh_token, resource, scope } = read.data
  const program = await programOf(kernel, client_id)
  if (!program) throw oauthRefusal('invalid_client', 'This program is not known here: let it register once more')
  if (resource !== undefined && resource !== resourceOf(kernel))
    throw oauthRefusal('invalid_target', 'Tokens are for the tools of agents alone')
  if (scope?.split(' ').some((word) => word && word !== AGENT_SCOPE))
    throw oauthRefusal('invalid_scope', 'The only scope is agents')
  const from: From = { address: request.ip, userAgent: userAgentOf(request) }
  if (grant_type === 'refresh_token') {
    if (!refresh_token) throw oauthRefusal('invalid_request', 'It takes refresh_token')
    return renewTokens(kernel, { refresh: refresh_token, program: program.id }, from)
  }
  if (!code || !redirect_uri || !code_verifier || !/^[\w.~-]{43,128}$/.test(code_verifier))
    throw oauthRefusal('invalid_request', 'It takes code, redirect_uri and code_verifier')
  return exchangeCode(kernel, { code, program: program.id, redirectUri: redirect_uri, verifier: code_verifier }, from)
}
