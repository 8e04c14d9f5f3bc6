import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { canSendMail, sendMail, siteName } from '../../notifications/index.ts'
import { settingsOf } from '../../settings/index.ts'
import type { AccountEvent } from '../../users/index.ts'
import { createResetToken } from './reset-token.ts'

export const RESET_PAGE = '/core/auth/password/reset/'
export const FORGOT_PAGE = '/core/auth/password/forgot/'
/** How long a link is valid. The mails say one hour. */
export const LINK_SECONDS = 3600

type Reason = AccountEvent['kind'] | 'forgotten'

/**
 * Sends a person a mail about their account, with a link to choose a password
 * (docs/rules/users.md#reset_calls). Does nothing while mail is off, and for people without an
 * address.
 */
export async function mailAboutAccount(
  kernel: Kernel,
  kind: Reason,
  user: AccountEvent['user'],
  language: Language,
): Promise<void> {
  if (!canSendMail(kernel) || !user.email.includes('@')) return
  const site = settingsOf(kernel).get('SITE_URL')
  const values = { name: user.name, username: user.username, site: siteName(kernel) }
  const say = (text: string, more: object = {}) => translate(language, text, { ...values, ...more })
  const words = wordsOf(kind, kernel, user, say)
  if (kind === 'created_with_password') {
    await sendMail(kernel, {
      to: user.email,
      ...words,
      link: { text: say('Sign in'), url: `${site}/core/auth/login/` },
    })
    return
  }
  const token = await createResetToken(kernel.db, user.id, LINK_SECONDS)
  await sendMail(kernel, {
    to: user.email,
    ...words,
    link: { text: say('Choose a password'), url: `${site}${RESET_PAGE}?token=${token}` },
    closing: [
      say('The link works once, for one hour. After that, ask for a new one: {{address}}', {
        address: `${site}${FORGOT_PAGE}`,
      }),
      ...(kind === 'forgotten' ? [say('If it was not you, just leave this mail: nothing changes.')] : []),
    ],
  })
}

type Say = (text: string, more?: object) => string

interface Words {
  subject: string
  paragraphs: string[]
  /** Instead of the site's name. */
  signature?: string
}

function wordsOf(kind: Reason, kernel: Kernel, user: AccountEvent['user'], say: Say): Words {
  const hello = say('Hello {{name}},')
  switch (kind) {
    case 'created':
    case 'created_with_password':
      return welcomeWords(kernel, user, say, hello)
    case 'password_reset':
      return {
        subject: say('Choose a new password'),
        paragraphs: [hello, say('An administrator has reset your password at {{site}}. The old one no longer works.')],
      }
    case 'forgotten':
      return {
        subject: say('Choose a new password'),
        paragraphs: [
          hello,
          say('Somebody, probably you, has asked for a new password of the user {{username}} at {{site}}.'),
        ],
      }
    default:
      return kind satisfies never
  }
}

/**
 * The words that administrators set in docs/rules/settings.md#setting_email_content, where they
 * did.
 */
function welcomeWords(kernel: Kernel, user: AccountEvent['user'], say: Say, hello: string): Words {
  const settings = settingsOf(kernel)
  const filled = (text: string) =>
    text.replace(/\{(\w*)\}/g, (_, name: string) =>
      name === 'username' || name === 'name' || name === 'email' ? user[name] : '',
    )
  const subject = filled(settings.get('EMAIL_CUSTOM_USER_CREATED_SUBJECT')) || say('Your account at {{site}}')
  const body =
    filled(settings.get('EMAIL_CUSTOM_USER_CREATED_BODY')) ||
    say('An account was made for you at {{site}}. Your username is {{username}}.')
  const signature = settings.get('EMAIL_CUSTOM_USER_CREATED_SIGNATURE')
  return {
    subject: `${settings.get('EMAIL_SUBJECT_PREFIX')} ${subject}`,
    paragraphs: [filled(settings.get('EMAIL_CUSTOM_USER_CREATED_HONORIFIC')) || hello, body],
    ...(signature ? { signature } : {}),
  }
}
