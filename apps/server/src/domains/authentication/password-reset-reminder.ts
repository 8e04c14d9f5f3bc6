import { and, eq, isNull, ne, or, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { notify, type Say, siteName } from '../notifications/index.ts'
import { settingsOf } from '../settings/index.ts'
import { usersUser } from '../users/index.ts'

/** People hear of it in the last five days: with 0 to 4 whole days left (spec B9.21, notes 41). */
const REMINDER_DAYS = 5
const CHANGE_PAGE = '/ui/users/profile?activeTab=PasswordUpdate'

/** Daily at ten and at two: messages to people whose password, or whose account, runs out soon (contract/users.yaml `user` rules). */
export function scheduleReminders(kernel: Kernel): void {
  kernel.jobs.schedule('authentication.remind_of_passwords', '0 10 * * *', () => remindOfPasswords(kernel))
  kernel.jobs.schedule('authentication.remind_of_accounts', '0 14 * * *', () => remindOfAccounts(kernel))
}

export async function remindOfPasswords(kernel: Kernel): Promise<void> {
  const days = settingsOf(kernel).get('SECURITY_PASSWORD_EXPIRATION_TIME')
  const end = sql`coalesce(${usersUser.date_password_last_updated}, ${usersUser.date_joined}) + make_interval(days => ${days})`
  for (const { user, left } of await peopleEnding(kernel, end)) {
    await remind(kernel, user, left, (say) => ({
      subject: say('Your password expires soon'),
      text:
        left > 0
          ? say('Your password at {{site}} expires in {{count|day|days}}. Change it before, on your profile.')
          : say('Your password at {{site}} expires within a day. Change it before, on your profile.'),
      link: { text: say('Change the password'), path: CHANGE_PAGE },
    }))
  }
}

export async function remindOfAccounts(kernel: Kernel): Promise<void> {
  for (const { user, left } of await peopleEnding(kernel, sql`${usersUser.date_expired}`)) {
    await remind(kernel, user, left, (say) => ({
      subject: say('Your account expires soon'),
      text:
        left > 0
          ? say('Your account at {{site}} expires in {{count|day|days}}. Ask an administrator if you need it longer.')
          : say('Your account at {{site}} expires within a day. Ask an administrator if you need it longer.'),
    }))
  }
}

type Person = typeof usersUser.$inferSelect

/** Local people who may sign in, and for whom `end` comes within the days of the reminder; with the whole days left. */
async function peopleEnding(kernel: Kernel, end: ReturnType<typeof sql>): Promise<{ user: Person; left: number }[]> {
  return kernel.db
    .select({ user: usersUser, left: sql<number>`floor(extract(epoch FROM ${end} - now()) / 86400)::int` })
    .from(usersUser)
    .where(
      and(
        eq(usersUser.source, 'local'),
        eq(usersUser.is_active, true),
        ne(usersUser.role, 'App'),
        or(isNull(usersUser.date_expired), sql`${usersUser.date_expired} > now()`),
        sql`${end} > now()`,
        sql`${end} < now() + make_interval(days => ${REMINDER_DAYS})`,
      ),
    )
}

async function remind(
  kernel: Kernel,
  user: Person,
  count: number,
  wordsIn: (say: Say) => { subject: string; text: string; link?: { text: string; path: string } },
): Promise<void> {
  await notify(kernel, [user.id], (translated) => {
    const say: Say = (text) => translated(text, { name: user.name, site: siteName(kernel), count })
    const { subject, text, link } = wordsIn(say)
    return { subject, paragraphs: [say('Hello {{name}},'), text], ...(link ? { link } : {}) }
  })
}
