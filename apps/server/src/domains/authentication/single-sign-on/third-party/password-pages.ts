import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../../../kernel/errors/app-error.ts'
import { sendPage } from '../../../../kernel/http/console-files.ts'
import { translate } from '../../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { singleValues } from '../../../../kernel/resource/query.ts'
import { messengers } from '../../../notifications/index.ts'
import { safeNext } from '../../next-address.ts'
import { LOGIN_PAGE } from '../../sign-in/login-guard.ts'
import { provePassword, proverOf } from './password-proof.ts'
import { bindPage, profileOr } from './paths.ts'

/**
 * Pages that ask for the password again (docs/rules/authentication.md#login_page,
 * `third_party_binding`): on their own, and before binding.
 */
export function registerPasswordPages(kernel: Kernel): void {
  addPage(kernel, '/core/auth/password/verify/', ({ next }) => safeNext(next))
  for (const { name } of messengers)
    addPage(
      kernel,
      `/core/auth/${name}/bind/start/`,
      ({ redirect_url }) => `${bindPage(name)}?redirect_url=${encodeURIComponent(profileOr(redirect_url))}`,
    )
}

function addPage(kernel: Kernel, url: string, nextOf: (query: Record<string, string>) => string): void {
  const wantsJson = ({ headers }: FastifyRequest) => String(headers.accept ?? '').includes('application/json')
  const toSignIn = (request: FastifyRequest, reply: FastifyReply) =>
    reply.redirect(`${LOGIN_PAGE}?next=${encodeURIComponent(request.url)}`)
  kernel.app.route({
    method: 'GET',
    url,
    config: { access: ['anonymous'], summary: 'Page that asks for my password', answers: 'moved', answerStatus: 302 },
    handler: async (request, reply) =>
      (await proverOf(kernel, request)) ? sendPage(reply, 'login.html') : toSignIn(request, reply),
  })
  kernel.app.route({
    method: 'POST',
    url,
    config: { access: ['anonymous'], summary: 'Prove my password on a page', answers: 'moved', answerStatus: 302 },
    handler: async (request, reply) => {
      const prover = await proverOf(kernel, request)
      if (!prover) {
        if (!wantsJson(request)) return toSignIn(request, reply)
        const text = 'The sign-in took too long, please start again'
        throw new AppError(400, 'session_empty', text, {
          body: { error: 'session_empty', msg: translate(request.call.language, text) },
        })
      }
      await provePassword(kernel, request, prover)
      const next = nextOf(singleValues(request.query) as Record<string, string>)
      return wantsJson(request) ? { next } : reply.redirect(next)
    },
  })
}
