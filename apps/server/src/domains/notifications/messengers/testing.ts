import { SETTING_CATEGORIES } from '@sallyport/contract/settings/index.ts'
import { AppError, invalid } from '../../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { readCategory, settingsOf } from '../../settings/index.ts'
import { openApi } from './api.ts'
import { type App, type Messenger, MessengerError } from './messenger.ts'
import { appOf, messengers } from './messengers.ts'

/**
 * The test writes to this name. That the messenger knows nobody of it is no fault of the settings.
 */
const RECEIVER = 'test'

/**
 * POST /api/v1/settings/{wecom|dingtalk|feishu}/testing/ (docs/rules/settings.md#setting_wecom):
 * sends a text to a user called test, with the saved settings. Settings in the body count for this
 * test only; an empty secret means the saved one.
 */
export function registerMessengerTesting(kernel: Kernel): void {
  for (const messenger of messengers)
    kernel.app.route({
      method: 'POST',
      url: `/api/v1/settings/${messenger.name}/testing/`,
      config: {
        access: ['super_admin'],
        summary: `Try the settings of ${messenger.title}`,
        answers: { fields: plainFields({ msg: 'string' }) },
        takes: { fields: SETTING_CATEGORIES[messenger.name] },
      },
      handler: async ({ body, call: { language } }) => {
        const app = appSent(kernel, messenger, body, language)
        const fail = (error: string) => new AppError(400, 'messenger_test_failed', error, { body: { error } })
        if (!app.id || !app.secret || (messenger.settings.agent && !app.agent))
          throw fail(translate(language, 'Fill in the application and its secret first'))
        try {
          await messenger.sendText(openApi(messenger, app), RECEIVER, translate(language, 'The settings work.'))
        } catch (error) {
          if (!(error instanceof MessengerError)) throw error
          if (error.code === undefined || !messenger.unknownReceiver.includes(error.code))
            throw fail(explain(messenger, error, language))
        }
        return { msg: translate(language, 'The test succeeded') }
      },
    })
}

/** The application of the saved settings, overridden by those in the body. */
function appSent(kernel: Kernel, messenger: Messenger, body: unknown, language: Language): App {
  const before = settingsOf(kernel).all()
  const { values, errors } = readCategory(messenger.name, body, before, language)
  if (Object.keys(errors).length) throw invalid(errors)
  return appOf(messenger, { ...before, ...values })
}

function explain({ title }: Messenger, { code, message }: MessengerError, language: Language): string {
  const name = translate(language, title)
  return code === undefined
    ? translate(language, '{{name}} cannot be reached', { name })
    : translate(language, '{{name}} refuses: {{reason}}', { name, reason: message })
}
