import type { FastifyRequest } from 'fastify'
import { callerOf } from '../../../kernel/access/call.ts'
import { AppError, refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { mfaChoices } from '../factors/index.ts'
import { browserOf } from '../second-factor/browser-of.ts'
import { hasFreshMfa } from '../second-factor/fresh-mfa.ts'
import { type Asked, asked, readAsked } from './asked.ts'
import { grantOperation, keepCode } from './grants.ts'
import { AGENT_SCOPE, refuseWithoutPrograms } from './site.ts'

const PATH = '/api/v1/authentication/agent-programs/'
const access = ['authenticated'] as const
const ASKING = plainFields({
  ...{ name: 'string', host: 'string', is_local: 'boolean', scope: 'string', fault: 'string', refused_at: 'url' },
})
const ANSWERED = plainFields({ location: 'url' })

/**
 * Calls of the page on which a person says whether a program may be their agent. In browsers only. The
 * program's address is given to the page and opened after a click of the person alone: a registration
 * is free, so what opened by itself would lead anywhere.
 */
export function registerConsent(kernel: Kernel): void {
  kernel.app.route({
    method: 'GET',
    url: `${PATH}asking/`,
    config: {
      access,
      summary: 'A program that asks to be my agent',
      asks: Object.fromEntries(Object.keys(asked.shape).map((name) => [name, 'As the program has it in the address'])),
      answers: { fields: ASKING },
    },
    handler: async (request, reply) => {
      reply.header('Cache-Control', 'no-store')
      const { program, redirect, fault, isLocal, answered } = await askingOf(kernel, request, request.query)
      return {
        name: program.name,
        host: redirect.host,
        is_local: isLocal,
        scope: AGENT_SCOPE,
        fault: fault ?? '',
        refused_at: answered({ error: fault ?? 'access_denied' }),
      }
    },
  })
  kernel.app.route({
    method: 'POST',
    url: `${PATH}connect/`,
    config: {
      access,
      opensWayIn: true,
      summary: 'Connect a program as my agent',
      takes: asked,
      answers: { fields: ANSWERED },
    },
    handler: async (request, reply) => {
      reply.header('Cache-Control', 'no-store')
      const { program, fault, challenge, answered } = await askingOf(kernel, request, request.body ?? {})
      if (fault)
        throw refused('bad_program', 'The program asks in a way that is not safe or not known here: {{fault}}', {
          fault,
        })
      const { call } = request
      const person = callerOf(call)
      if (!(await hasFreshMfa(kernel, call.sessionId)) && (await mfaChoices(kernel, person.id)).length)
        throw new AppError(400, 'mfa_verify_required', 'Verify MFA first')
      const { redirect_uri } = request.body as Asked
      const code = await kernel.db.transaction(async (db) => {
        const kept = await keepCode(db, {
          ...{ program: program.id, userId: person.id, orgId: call.org.id, redirectUri: redirect_uri, challenge },
        })
        if (kept)
          await kernel.audit.record(db, call, [
            grantOperation('create', call.org.id, person, [program.name, new URL(redirect_uri).host]),
          ])
        return kept
      })
      if (!code) throw refused('too_many_programs', 'You have connected too many programs: end some of them first')
      return { location: answered({ code }) }
    },
  })
}

function askingOf(kernel: Kernel, request: FastifyRequest, query: unknown) {
  browserOf(request)
  refuseWithoutPrograms(kernel)
  return readAsked(kernel, query)
}
