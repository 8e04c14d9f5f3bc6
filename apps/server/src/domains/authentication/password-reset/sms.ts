import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { AppError, invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { canSendMail } from '../../notifications/index.ts'
import { extendPublicSettings, settingsOf } from '../../settings/index.ts'
import { findUser, hasOwnPassword } from '../../users/index.ts'
import { isTooMany, tooMany } from '../password-reset-limits.ts'
import { createSession, UNFINISHED_SECONDS } from '../session.ts'
import { sendSmsCode, takeSmsCode } from '../sms-code/sms-code.ts'
import { FORGOT_PAGE, RESET_PAGE } from './mail.ts'
import { createResetToken } from './reset-token.ts'

const SEND = 'authentication.send_reset_code'
/** Short, since the new password is chosen right away. */
const TOKEN_SECONDS = 600

const name = z.string().trim().min(1).max(128)
const phone = z.string().trim().max(20)
const sendBody = z.object({ username: name, phone })
const codeBody = z.object({ username: name, phone, code: z.string().trim().min(1).max(16) })

/**
 * Sets a new password with a code sent to the phone of the account. User name and phone must belong
 * together; the answers and their timing are the same whether or not they do: that is looked up
 * later, in the background.
 */
export function registerPasswordResetBySms(kernel: Kernel): void {
  const { app, db } = kernel
  extendPublicSettings(kernel, () => ({ FORGOT_PASSWORD_WAYS: waysOf(kernel) }))
  app.route({
    method: 'POST',
    url: `${FORGOT_PAGE}send-code/`,
    config: { access: ['anonymous'], summary: 'Have a code for a new password sent to my phone' },
    handler: async (request, reply) => {
      if (!settingsOf(kernel).get('SMS_ENABLED')) throw smsOff()
      const sent = read(sendBody, request.body)
      const { language, remoteAddress } = request.call
      if (await isTooMany(db, 'forgot_ip', remoteAddress)) throw tooMany()
      // The limit is not reported: the answer must not reveal whether somebody else has asked for
      // this person.
      const isSpent =
        (await isTooMany(db, 'forgot', sent.username)) || (await isTooMany(db, 'forgot_phone', sent.phone))
      const holder = await holderOf(kernel, request, reply)
      if (!isSpent) await kernel.jobs.send(SEND, { ...sent, holder })
      return {
        msg: translate(
          language,
          'If this username and phone belong to an account, a code is on its way. It is valid for one minute.',
        ),
      }
    },
  })
  app.route({
    method: 'POST',
    url: `${FORGOT_PAGE}verify-code/`,
    config: { access: ['anonymous'], summary: 'Choose a new password with the code that was sent to my phone' },
    handler: async (request) => {
      if (!settingsOf(kernel).get('SMS_ENABLED')) throw smsOff()
      const sent = read(codeBody, request.body)
      const { remoteAddress, sessionId, user } = request.call
      // Counted before anything is checked, and for people who do not exist as well.
      if ((await isTooMany(db, 'reset_code', sent.username)) || (await isTooMany(db, 'reset', remoteAddress)))
        throw tooMany()
      const person = await personWith(kernel, sent)
      const isRight =
        person && sessionId && !user && (await takeSmsCode(kernel, person, 'reset', sessionId, sent.code)) === true
      // The same message for wrong, expired and unknown, so that nobody learns whose code is under
      // way.
      if (!isRight) throw new AppError(400, 'verify_code_error', 'The code is wrong or has expired')
      return { next: `${RESET_PAGE}?token=${await createResetToken(db, person.id, TOKEN_SECONDS)}` }
    },
  })
  kernel.jobs.work<{ username: string; phone: string; holder: string }>(SEND, async ({ holder, ...meant }) => {
    const person = await personWith(kernel, meant)
    if (!person) return
    try {
      await sendSmsCode(kernel, person, 'reset', holder)
    } catch (error) {
      // A refusal, such as a second code within a minute, is not told to the caller; what could not
      // be sent is in the log.
      if (!(error instanceof AppError)) throw error
    }
  })
}

/**
 * How people can ask for a new password. If neither mail nor SMS works, mail, whose page says so.
 */
function waysOf(kernel: Kernel): ('mail' | 'sms')[] {
  if (!settingsOf(kernel).get('SMS_ENABLED')) return ['mail']
  return canSendMail(kernel) ? ['mail', 'sms'] : ['sms']
}

const smsOff = () => new AppError(400, 'sms_off', 'This site does not send SMS')

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const { success, data, error } = schema.safeParse(body ?? {})
  if (success) return data
  throw invalid(
    Object.fromEntries(error.issues.map(({ path }) => [String(path[0] ?? 'username'), 'This field is required.'])),
  )
}

/** The person with this name and phone whose password is stored here. */
async function personWith({ db }: Kernel, meant: { username: string; phone: string }) {
  const person = await findUser(db, { username: meant.username })
  return person && hasOwnPassword(person) && person.phone === meant.phone ? person : undefined
}

/** The browser's unfinished session: the code is valid there alone. */
async function holderOf(kernel: Kernel, request: FastifyRequest, reply: FastifyReply): Promise<string> {
  const { sessionId, user } = request.call
  if (sessionId && !user) return sessionId
  if (user) throw new AppError(400, 'bad_request', 'Sign out first, or change the password on your profile')
  return createSession(kernel, request, reply, { seconds: UNFINISHED_SECONDS })
}
