import { z } from 'zod'
import { AppError, invalid } from '../../../kernel/errors/app-error.ts'
import { sendPage } from '../../../kernel/http/console-files.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { checkNewPassword, findUser, onAccountEvent, setPassword, tellOfChange } from '../../users/index.ts'
import { isTooMany, isUsedUp, tooMany } from '../password-reset-limits.ts'
import { setCsrfCookie } from '../session.ts'
import { registerForgottenPassword } from './forgotten.ts'
import { mailAboutAccount, RESET_PAGE } from './mail.ts'
import { scheduleReminders } from './reminder.ts'
import { consumeResetToken, findResetToken } from './reset-token.ts'
import { registerPasswordResetBySms } from './sms.ts'

const body = z.object({
  token: z.string().min(1).max(128),
  new_password: z.string().min(1).max(128),
  confirm_password: z.string().max(128),
})

/**
 * New passwords for people who have none yet, forgot theirs, or must change it, and the mails about
 * that.
 */
export function registerPasswordReset(kernel: Kernel): void {
  registerResetPage(kernel)
  registerForgottenPassword(kernel)
  registerPasswordResetBySms(kernel)
  scheduleReminders(kernel)
  onAccountEvent(kernel, ({ kind, user, language }) => mailAboutAccount(kernel, kind, user, language))
}

/**
 * GET and POST /core/auth/password/reset/: sets a new password with a one-time token, which a
 * forced change, a mail or a reset by SMS hands out.
 */
function registerResetPage(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'GET',
    url: RESET_PAGE,
    config: { access: ['anonymous'], summary: 'Page to set a new password with a token' },
    handler: async (request, reply) => {
      setCsrfCookie(request, reply)
      return sendPage(reply, 'login.html')
    },
  })
  app.route({
    method: 'POST',
    url: RESET_PAGE,
    // No CSRF token: no foreign page can know the reset token.
    config: { access: ['anonymous'], withoutCsrf: 'same_origin', summary: 'Set a new password with a token' },
    handler: async (request) => {
      const { token, new_password, confirm_password } = body.parse(request.body ?? {})
      if (new_password !== confirm_password) throw invalid({ confirm_password: 'The two passwords differ' })
      const address = request.call.remoteAddress
      if (await isUsedUp(kernel.db, 'reset', address)) throw tooMany()
      const userId = await findResetToken(kernel.db, token)
      if (!userId) {
        await isTooMany(kernel.db, 'reset', address)
        throw tokenGone()
      }
      await kernel.db.transaction(async (db) => {
        const user = await findUser(db, { id: userId }, { lock: true })
        if (!user?.is_active || user.source !== 'local') throw tokenGone()
        await checkNewPassword(kernel, db, user, new_password, 'new_password')
        if (!(await consumeResetToken(db, token))) throw tokenGone()
        await setPassword(db, request.call, user, new_password)
      })
      await tellOfChange(kernel, userId, 'password', address)
      return { next: '/core/auth/login/' }
    },
  })
}

const tokenGone = () =>
  new AppError(400, 'token_invalid', 'This link has been used or has run out, please ask for a new one')
