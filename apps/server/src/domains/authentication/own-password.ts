import { z } from 'zod'
import { callerOf } from '../../kernel/access/call.ts'
import { invalid, refused } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { oneAtATime } from '../../kernel/one-at-a-time.ts'
import { settingsOf } from '../settings/index.ts'
import { findUser, notifyOfChange } from '../users/index.ts'
import { checkNewPassword, isPasswordOf, setPassword } from '../users/password/index.ts'
import { countFailure, findLock, forgetFailures } from './failures.ts'

const text = z.string().max(128)
const body = z.object({ old_password: text, new_password: text, new_password_again: text })

/**
 * PUT /api/v1/users/profile/password/ (docs/rules/users.md#profile). Wrong old passwords count as
 * failed sign-ins, so that a finder of an open browser can't guess. The change ends every session
 * and token of the person, this one included.
 */
export function registerOwnPassword(kernel: Kernel): void {
  const { app, db } = kernel
  app.route({
    method: ['PUT', 'PATCH'],
    url: '/api/v1/users/profile/password/',
    config: { access: ['authenticated'], opensWayIn: true, summary: 'Change my password', takes: body },
    handler: async ({ call, body: sent }) => {
      const { old_password, new_password, new_password_again } = body.parse(sent ?? {})
      const { id, username } = callerOf(call)
      const settings = settingsOf(kernel)
      return oneAtATime(`${username}\n${call.remoteAddress}`, async () => {
        const user = await findUser(db, { id })
        if (user?.source !== 'local')
          throw refused('only_local_users_are_allowed', 'Only local users have a password here')
        const findOwnLock = () => findLock(db, settings, username, call.remoteAddress)
        const proven =
          !(await findOwnLock()) &&
          (await isPasswordOf(kernel, user, { password: old_password, username, address: call.remoteAddress }))
        // As at sign-in: attempts on other nodes may have been counted meanwhile.
        const lock = await findOwnLock()
        if (!proven || lock) {
          await countFailure(db, settings, username, call.remoteAddress)
          throw invalid({
            old_password: lock
              ? translate(call.language, LOCKED, { minutes: lock.minutes })
              : 'The old password is incorrect',
          })
        }
        if (new_password !== new_password_again) throw invalid({ new_password_again: 'The two passwords differ' })
        await checkNewPassword(kernel, db, user, new_password, 'new_password')
        await db.transaction((inside) => setPassword(inside, call, user, new_password))
        await forgetFailures(db, username, call.remoteAddress)
        await notifyOfChange(kernel, id, 'password', call.remoteAddress)
        return {}
      })
    },
  })
}

const LOCKED =
  'The account has been locked, please contact an administrator or try again after {{minutes|minute|minutes}}'
