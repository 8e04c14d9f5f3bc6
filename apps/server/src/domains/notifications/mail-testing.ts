import { email } from '@sallyport/contract/settings/email.ts'
import { AppError, invalid } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { readEmailSettings, settingsOf } from '../settings/index.ts'
import { siteName } from './mail.ts'
import { layOut } from './mail-layout.ts'
import { deliver, explainMailError, isMailOn, senderOf } from './mail-transport.ts'

/**
 * POST /api/v1/settings/mail/testing/ (docs/rules/settings.md#setting_email): sends a mail now,
 * with the saved settings. Settings in the body count for this test only; an empty password means
 * the saved one.
 */
export function registerMailTesting(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: '/api/v1/settings/mail/testing/',
    config: {
      access: ['super_admin'],
      summary: 'Send a test mail',
      answers: { fields: plainFields({ msg: 'string' }) },
      takes: { fields: email },
    },
    handler: async ({ body, call: { language } }) => {
      const sent = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
      const before = settingsOf(kernel).all()
      const { values, errors } = readEmailSettings(
        Object.fromEntries(Object.entries(sent).filter(([name]) => name in email)),
        before,
        language,
      )
      if (Object.keys(errors).length) throw invalid(errors)
      const settings = { ...before, ...values }
      const fail = (error: string) => new AppError(400, 'mail_test_failed', error, { body: { error } })
      if (!isMailOn(settings)) throw fail(translate(language, 'Fill in host and account of the mail server first'))
      const to = settings.EMAIL_RECIPIENT || senderOf(settings)
      const mail = layOut({
        to,
        subject: translate(language, 'Test mail'),
        paragraphs: [translate(language, 'The mail settings work.')],
        signature: siteName(kernel),
      })
      try {
        await deliver(settings, mail)
      } catch (error) {
        throw fail(explainMailError(error, language))
      }
      return { msg: translate(language, 'A test mail was sent to {{address}}', { address: to }) }
    },
  })
}
