import { sendPage } from '../../../kernel/http/console-files.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { confirmationState } from '../../tickets/index.ts'
import { safeNext } from '../next-address.ts'
import { startSession } from '../session.ts'
import { CONFIRM_SECONDS, confirmAnswer, ticketOf } from './login-confirm.ts'
import { claimPending, pendingSignIn } from './pending-sign-in.ts'
import { type Due, dueOf, finishSignIn, signInClientOf } from './sign-in.ts'

export const LOGIN_PAGE = '/core/auth/login/'
export const MFA_PAGE = '/core/auth/login/mfa/'
export const GUARD = '/core/auth/login/guard/'
export const OTP_START_PAGE = '/core/auth/profile/otp/enable/start/'
const WAIT_PAGE = '/core/auth/login/wait-confirm/'

/** The page of the next step; the guard itself asks for a confirmation. */
export function pageOf(due: Due): string {
  if (due.step === 'confirm') return GUARD
  return due.choices.length ? MFA_PAGE : OTP_START_PAGE
}

/**
 * Leads from a proven password to a session, step by step (docs/rules/authentication.md#sign_in).
 */
export function registerLoginGuard(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'GET',
    url: GUARD,
    config: { access: ['anonymous'], summary: 'To the next step of signing in', answers: 'moved', answerStatus: 302 },
    handler: async (request, reply) => {
      const pending = await pendingSignIn(kernel, request)
      if (!pending) return reply.redirect(request.call.user ? safeNext(undefined) : LOGIN_PAGE)
      const address = request.call.remoteAddress
      if (pending.ticket && !('error' in (await confirmAnswer(kernel, request, pending)))) pending.confirmed = address
      const due = await dueOf(kernel, pending, address)
      if (due?.step === 'mfa') return reply.redirect(pageOf(due))
      if (due?.step === 'confirm') {
        await ticketOf(kernel, pending, address, due.reviewers)
        return reply.redirect(WAIT_PAGE)
      }
      if (!(await claimPending(kernel, pending))) return reply.redirect(LOGIN_PAGE)
      const answer = await finishSignIn(kernel, signInClientOf(request), { address, type: 'W' }, pending)
      if ('error' in answer) return reply.redirect(LOGIN_PAGE)
      const { outside, mfa_at } = pending
      await startSession(kernel, request, reply, answer.user, pending.remember, {
        ...(outside ? { outside } : {}),
        ...(mfa_at ? { mfa_verified_at: mfa_at } : {}),
      })
      return reply.redirect(safeNext(pending.next))
    },
  })
  app.route({
    method: 'GET',
    url: WAIT_PAGE,
    config: {
      access: ['anonymous'],
      summary: 'Page that waits for the confirmation of a sign-in',
      answers: 'moved',
      answerStatus: 302,
    },
    handler: async (request, reply) => {
      const pending = await pendingSignIn(kernel, request)
      const json = String(request.headers.accept ?? '').includes('application/json')
      if (!json) return pending?.ticket ? sendPage(reply, 'login.html') : reply.redirect(pending ? GUARD : LOGIN_PAGE)
      reply.header('Cache-Control', 'no-store')
      const ticket = pending?.ticket ? await confirmationState(kernel.db, 'login_confirm', pending.ticket) : undefined
      const asked = Date.parse(String(ticket?.meta.apply_login_datetime ?? ''))
      return {
        reviewers: ticket?.reviewers ?? [],
        /** For the reviewers; an absolute URL. */
        link: ticket ? `${settingsOf(kernel).get('SITE_URL')}/ui/tickets/tickets/${ticket.id}` : '',
        /** Seconds that the page waits in all, and has waited so far. */
        seconds: CONFIRM_SECONDS,
        waited: Number.isNaN(asked) ? 0 : Math.max(0, Math.round((Date.now() - asked) / 1000)),
      }
    },
  })
}
