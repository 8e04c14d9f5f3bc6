import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { AppError, invalid } from '../../kernel/errors/app-error.ts'
import { sendPage } from '../../kernel/http/console-files.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { checkNewPassword, setPassword, usersUser } from '../users/index.ts'
import { consumeResetToken, findResetToken } from './reset-token.ts'
import { setCsrfCookie } from './session.ts'

const body = z.object({
  token: z.string().min(1).max(128),
  new_password: z.string().min(1).max(128),
  confirm_password: z.string().max(128),
})

/** GET and POST /core/auth/password/reset/: a new password with a one-use token, which a forced change or a reset hands out. */
export function registerPasswordReset(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'GET',
    url: '/core/auth/password/reset/',
    config: { access: ['anonymous'], summary: 'Page to set a new password with a token' },
    handler: async (request, reply) => {
      setCsrfCookie(request, reply)
      return sendPage(reply, 'login.html')
    },
  })
  app.route({
    method: 'POST',
    url: '/core/auth/password/reset/',
    // The token itself is what a foreign page can't know.
    config: { access: ['anonymous'], withoutCsrf: true, summary: 'Set a new password with a token' },
    handler: async (request) => {
      const { token, new_password, confirm_password } = body.parse(request.body ?? {})
      if (new_password !== confirm_password) throw invalid({ confirm_password: 'The two passwords differ' })
      await kernel.db.transaction(async (db) => {
        const userId = await findResetToken(db, token)
        if (!userId) throw tokenGone()
        const [user] = await db.select().from(usersUser).where(eq(usersUser.id, userId)).for('update')
        if (!user?.is_active) throw tokenGone()
        await checkNewPassword(kernel, db, user, new_password, 'new_password')
        if (!(await consumeResetToken(db, token))) throw tokenGone()
        await setPassword(db, request.call, user, new_password)
      })
      return { next: '/core/auth/login/' }
    },
  })
}

const tokenGone = () => new AppError(400, 'token_invalid', 'This link has been used or has run out, please ask for a new one')
