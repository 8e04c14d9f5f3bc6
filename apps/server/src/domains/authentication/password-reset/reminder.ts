import type { Say } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { notify, siteName } from '../../notifications/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { type Ending, endingAccounts, endingPasswords } from '../../users/index.ts'

/** People get a reminder during the last five days, with 0 to 4 whole days left (B9.21). */
const REMINDER_DAYS = 5
const CHANGE_PAGE = '/ui/users/profile?activeTab=PasswordUpdate'

/**
 * Every day at 10:00 and 14:00, tells people whose password or account expires soon
 * (docs/rules/users.md#user).
 */
export function scheduleReminders(kernel: Kernel): void {
  kernel.jobs.schedule(
    { name: 'authentication.remind_of_passwords', cron: '0 10 * * *', title: 'Remind of passwords that expire' },
    () => remindOfPasswords(kernel),
  )
  kernel.jobs.schedule(
    { name: 'authentication.remind_of_accounts', cron: '0 14 * * *', title: 'Remind of accounts that expire' },
    () => remindOfAccounts(kernel),
  )
}

export async function remindOfPasswords(kernel: Kernel): Promise<void> {
  const days = settingsOf(kernel).get('SECURITY_PASSWORD_EXPIRATION_TIME')
  for (const person of await endingPasswords(kernel.db, days, REMINDER_DAYS)) {
    await remind(kernel, person, (say) => ({
      subject: say('Your password expires soon'),
      text:
        person.left > 0
          ? say('Your password at {{site}} expires in {{count|day|days}}. Change it before, on your profile.')
          : say('Your password at {{site}} expires within a day. Change it before, on your profile.'),
      link: { text: say('Change the password'), path: CHANGE_PAGE },
    }))
  }
}

export async function remindOfAccounts(kernel: Kernel): Promise<void> {
  for (const person of await endingAccounts(kernel.db, REMINDER_DAYS)) {
    await remind(kernel, person, (say) => ({
      subject: say('Your account expires soon'),
      text:
        person.left > 0
          ? say('Your account at {{site}} expires in {{count|day|days}}. Ask an administrator if you need it longer.')
          : say('Your account at {{site}} expires within a day. Ask an administrator if you need it longer.'),
    }))
  }
}

async function remind(
  kernel: Kernel,
  { id, name, left }: Ending,
  wordsIn: (say: Say) => { subject: string; text: string; link?: { text: string; path: string } },
): Promise<void> {
  await notify(kernel, [id], (translated) => {
    const say: Say = (text) => translated(text, { name, site: siteName(kernel), count: left })
    const { subject, text, link } = wordsIn(say)
    return { subject, paragraphs: [say('Hello {{name}},'), text], ...(link ? { link } : {}) }
  })
}
