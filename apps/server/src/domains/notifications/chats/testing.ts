import { SETTING_CATEGORIES } from '@sallyport/contract/settings/index.ts'
import { sql } from 'drizzle-orm'
import { type Call, callerOf } from '../../../kernel/access/call.ts'
import { AppError, invalid } from '../../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { readCategory, type Settings, settingsOf } from '../../settings/index.ts'
import { type Chat, ChatError } from './chat.ts'
import { chats } from './chats.ts'

/**
 * POST /api/v1/settings/{slack|teams}/testing/ (docs/rules/settings.md#setting_slack): writes to the
 * person who asks and to the channel, as far as they are turned on and filled in. Settings in the body count for
 * this test only; an empty secret means the saved one.
 */
export function registerChatTesting(kernel: Kernel): void {
  for (const chat of chats)
    kernel.app.route({
      method: 'POST',
      url: `/api/v1/settings/${chat.name}/testing/`,
      config: {
        access: ['super_admin'],
        summary: `Try the settings of ${chat.title}`,
        answers: { fields: plainFields({ msg: 'string' }) },
        takes: { fields: SETTING_CATEGORIES[chat.name] },
      },
      handler: async ({ body, call }) => {
        const { language } = call
        const settings = settingsSent(kernel, chat, body, language)
        if (!chat.reachesPeople(settings) && !chat.hasRoom(settings))
          throw failed(translate(language, 'Turn on and fill in at least one of the two ways first'))
        const words = {
          subject: translate(language, 'Test message'),
          paragraphs: [translate(language, 'The settings work.')],
        }
        try {
          if (chat.hasRoom(settings)) await chat.sendToRoom(settings, words)
          if (chat.reachesPeople(settings)) await chat.sendToPerson(settings, await mailOf(kernel, call), words)
        } catch (error) {
          if (!(error instanceof ChatError)) throw error
          throw failed(explain(chat, error, language))
        }
        return { msg: translate(language, 'The test succeeded') }
      },
    })
}

const failed = (error: string) => new AppError(400, 'chat_test_failed', error, { body: { error } })

/** The saved settings, overridden by those in the body. */
function settingsSent(kernel: Kernel, chat: Chat, body: unknown, language: Language): Settings {
  const before = settingsOf(kernel).all()
  const { values, errors } = readCategory(chat.name, body, before, language)
  if (Object.keys(errors).length) throw invalid(errors)
  return { ...before, ...values }
}

async function mailOf(kernel: Kernel, call: Call): Promise<string> {
  const { rows } = await kernel.db.execute<{ email: string }>(
    sql`SELECT email FROM users_person WHERE id = ${callerOf(call).id}`,
  )
  const mail = rows[0]?.email ?? ''
  if (!mail.includes('@')) throw failed(translate(call.language, 'Your own account has no email address to write to'))
  return mail
}

function explain({ title }: Chat, error: ChatError, language: Language): string {
  const name = translate(language, title)
  if (error.isUnknownPerson) return translate(language, '{{name}} knows nobody with your email address', { name })
  return error.answered
    ? translate(language, '{{name}} refuses: {{reason}}', { name, reason: error.message })
    : translate(language, '{{name}} cannot be reached', { name })
}
