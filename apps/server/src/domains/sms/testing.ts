import { SETTING_CATEGORIES } from '@sallyport/contract/settings/index.ts'
import { AppError, invalid } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { readCategory, settingsOf } from '../settings/index.ts'
import { SmsError } from './provider-call.ts'
import { explainSmsError, sendCode } from './send.ts'

/** The code in a test message; no sign-in waits for it. */
const TEST_CODE = '6666'
/** Mobile numbers as people's phones have them (docs/rules/users.md#phone). */
const PHONE = /^1[356789]\d{9}$/

/**
 * POST /api/v1/settings/alibaba/testing/ and …/tencent/testing/
 * (docs/rules/settings.md#setting_alibaba): sends a message to the test phone. Settings in the body
 * count for this test only; an empty secret means the saved one.
 */
export function registerSmsTesting(kernel: Kernel): void {
  for (const provider of ['alibaba', 'tencent'] as const)
    kernel.app.route({
      method: 'POST',
      url: `/api/v1/settings/${provider}/testing/`,
      config: {
        access: ['super_admin'],
        summary: 'Send a test message',
        answers: { fields: plainFields({ msg: 'string' }) },
        takes: { fields: SETTING_CATEGORIES[provider] },
      },
      handler: async ({ body, call: { language } }) => {
        const before = settingsOf(kernel).all()
        const { values, errors } = readCategory(provider, body, before, language)
        if (Object.keys(errors).length) throw invalid(errors)
        const settings = { ...before, ...values }
        const phone = settings.SMS_TEST_PHONE.trim()
        if (!phone) throw new AppError(400, 'test_phone_required', 'Enter the phone number that gets the test message')
        if (!PHONE.test(phone)) throw invalid({ SMS_TEST_PHONE: 'Enter a Chinese mobile number of eleven digits' })
        try {
          await sendCode(kernel, provider, settings, phone, TEST_CODE)
        } catch (error) {
          if (!(error instanceof SmsError)) throw error
          const text = explainSmsError(error, language)
          throw new AppError(400, 'sms_test_failed', text, { body: { error: text } })
        }
        return { msg: translate(language, 'A test message was sent to {{phone}}', { phone }) }
      },
    })
}
