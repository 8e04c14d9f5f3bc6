import { z } from 'zod'
import { AppError, invalid } from '../../kernel/errors/app-error.ts'
import { sendPage } from '../../kernel/http/console-files.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { findUser, notifyOfChange } from '../users/index.ts'
import { checkNewPassword, setPassword } from '../users/password/index.ts'
import { HOME } from './next-address.ts'
import { RESET_PAGE } from './password-reset/mail.ts'
import { consumeResetToken, findResetToken } from './password-reset/reset-token.ts'
import { isTooMany, isUsedUp, tooMany } from './password-reset-limits.ts'
import { setCsrfCookie } from './session.ts'
import { goOn } from './sign-in/go-on.ts'
import { checkSignIn, signInClientOf } from './sign-in/sign-in.ts'

/** The sign-in page, which says that there is a new password. */
const CHANGED = '/core/auth/login/?password=changed'

const body = z.object({
  token: z.string().min(1).max(128),
  new_password: z.string().min(1).max(128),
  confirm_password: z.string().max(128),
})

/**
 * GET and POST /core/auth/password/reset/: sets a new password with a one-time token, which a
 * forced change, a mail or a reset by SMS issues. After a forced change the sign-in that forced it
 * goes on; a person who came by a link signs in.
 */
export function registerPasswordResetPage(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'GET',
    url: RESET_PAGE,
    config: { access: ['anonymous'], summary: 'Page to set a new password with a token', answers: 'html' },
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
    handler: async (request, reply) => {
      const { token, new_password, confirm_password } = body.parse(request.body ?? {})
      if (new_password !== confirm_password) throw invalid({ confirm_password: 'The two passwords differ' })
      const address = request.call.remoteAddress
      if (await isUsedUp(kernel.db, 'reset', address)) throw tooMany()
      const userId = await findResetToken(kernel.db, token)
      if (!userId) {
        await isTooMany(kernel.db, 'reset', address)
        throw tokenGone()
      }
      const { username, isSignIn } = await kernel.db.transaction(async (db) => {
        const user = await findUser(db, { id: userId }, { lock: true })
        if (!user?.is_active || user.source !== 'local') throw tokenGone()
        await checkNewPassword(kernel, db, user, new_password, 'new_password')
        const used = await consumeResetToken(db, token)
        if (!used) throw tokenGone()
        await setPassword(db, request.call, user, new_password)
        return { username: user.username, isSignIn: used.is_sign_in }
      })
      await notifyOfChange(kernel, userId, 'password', address)
      if (!isSignIn) return { next: CHANGED }
      // A person who proved the old password has just typed the new one: the sign-in goes on.
      const attempt = { username, password: new_password, address, type: 'W' as const }
      const answer = await checkSignIn(kernel, signInClientOf(request), attempt)
      if ('error' in answer) return { next: CHANGED }
      return { next: await goOn(kernel, request, reply, answer, { remember: false, next: HOME }) }
    },
  })
}

const tokenGone = () => new AppError(400, 'token_invalid', 'This link was used or has expired. Ask for a new one.')
