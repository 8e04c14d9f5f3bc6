import { and, eq, gt, sql } from 'drizzle-orm'
import { z } from 'zod'
import { AppError, invalid } from '../../../kernel/errors/app-error.ts'
import { sendPage } from '../../../kernel/http/console-files.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { canSendMail } from '../../notifications/index.ts'
import { findUsers, hasOwnPassword, languageOfUser } from '../../users/index.ts'
import { forgotPasswordUrl } from '../login-page-facts.ts'
import { isTooMany, tooMany } from '../password-reset-limits.ts'
import { setCsrfCookie } from '../session.ts'
import { authenticationResetToken } from '../tables.ts'
import { FORGOT_PAGE, LINK_SECONDS, mailAboutAccount } from './mail.ts'

const LOOK_UP = 'authentication.mail_reset_link'
/** A person who asks twice within this time gets one mail. */
const PAUSE_SECONDS = 60
const body = z.object({ email: z.string().trim().max(128).optional() })

/**
 * GET and POST /core/auth/password/forgot/: sends a link to set a new password. The answer and its
 * timing are the same whether or not the address is somebody's: that is looked up later, in the
 * background.
 */
export function registerForgottenPassword(kernel: Kernel): void {
  const { app, db } = kernel
  app.route({
    method: 'GET',
    url: FORGOT_PAGE,
    config: { access: ['anonymous'], summary: 'Page to ask for a link to a new password', answers: 'html' },
    handler: async (request, reply) => {
      const elsewhere = await forgotPasswordUrl(kernel)
      if (elsewhere) return reply.redirect(elsewhere)
      setCsrfCookie(request, reply)
      return sendPage(reply, 'login.html')
    },
  })
  app.route({
    method: 'POST',
    url: FORGOT_PAGE,
    config: { access: ['anonymous'], summary: 'Ask for a link to a new password' },
    handler: async ({ body: sent, call }) => {
      const read = body.safeParse(sent ?? {})
      const email = read.data?.email ?? ''
      if (!z.email().safeParse(email).success) throw invalid({ email: 'Enter a valid email address.' })
      if (!canSendMail(kernel))
        throw new AppError(
          400,
          'mail_off',
          'This site cannot send mail. Please ask an administrator for a new password.',
        )
      if (await isTooMany(db, 'forgot_ip', call.remoteAddress)) throw tooMany()
      // The limit is not reported: the answer must not reveal whether somebody else has asked for
      // this person.
      if (!(await isTooMany(db, 'forgot', email.toLowerCase())))
        await kernel.jobs.send(LOOK_UP, { email, language: call.language })
      return {
        msg: translate(
          call.language,
          'If the address belongs to an account, a mail with a link is on its way. The link counts for one hour.',
        ),
      }
    },
  })
  kernel.jobs.work<{ email: string; language: Language }>(LOOK_UP, async ({ email, language }) => {
    const user = await personWith(kernel, email)
    if (!user || (await hasFreshLink(kernel, user.id))) return
    await mailAboutAccount(kernel, 'forgotten', user, languageOfUser(kernel, user.language, language))
  })
}

/**
 * The person with this address whose password is stored here. The mail goes to the address in their
 * row, not to the one that was typed.
 */
async function personWith(kernel: Kernel, email: string) {
  const [person, ...more] = (await findUsers(kernel.db, { email })).filter(hasOwnPassword)
  return more.length ? undefined : person
}

async function hasFreshLink(kernel: Kernel, userId: string): Promise<boolean> {
  const rows = await kernel.db
    .select({ user_id: authenticationResetToken.user_id })
    .from(authenticationResetToken)
    .where(
      and(
        eq(authenticationResetToken.user_id, userId),
        gt(authenticationResetToken.date_expired, sql`now() + make_interval(secs => ${LINK_SECONDS - PAUSE_SECONDS})`),
      ),
    )
  return rows.length > 0
}
