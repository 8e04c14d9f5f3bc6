import { eq } from 'drizzle-orm'
import { standardLanguage } from '../../../kernel/i18n/language-of.ts'
import type { Language } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { usersUser } from '../tables.ts'
import type { StoredUser } from '../user-fields.ts'

/** An event of an account that is mailed to its owner. */
export interface AccountEvent {
  /**
   * `created_with_password`: an administrator chose the password; `created`: the person still has
   * to choose one.
   */
  kind: 'created' | 'created_with_password' | 'password_reset'
  user: { id: string; name: string; username: string; email: string }
  language: Language
}

type Listener = (news: AccountEvent) => Promise<void>

const listeners = new WeakMap<Kernel, Listener>()

/** Sets who writes to people about their accounts; called after the change is committed. */
export function onAccountEvent(kernel: Kernel, listener: Listener): void {
  listeners.set(kernel, listener)
}

/**
 * @param otherwise language of the person who made the change, for people who have not chosen one
 */
export async function announceAccountEvent(
  kernel: Kernel,
  kind: AccountEvent['kind'],
  row: StoredUser,
  otherwise: Language,
): Promise<void> {
  const { id, name, username, email } = row
  const user = { id, name, username, email }
  try {
    await listeners.get(kernel)?.({ kind, user, language: languageOfUser(kernel, row.language, otherwise) })
  } catch (error) {
    // The change is stored: it must not be reported as failed because a mail was not sent.
    kernel.app.log.error({ err: error, kind }, 'a person could not be told about their account')
  }
}

/** The language in which to write to somebody: their own, else the installation's. */
export async function languageOfPerson(kernel: Kernel, id: string): Promise<Language> {
  return languageOfUser(kernel, await ownLanguage(kernel, id))
}

/** The language that a person has chosen last; undefined for a person without one. */
export async function ownLanguage({ db }: Kernel, id: string): Promise<Language | undefined> {
  const [person] = await db.select({ language: usersUser.language }).from(usersUser).where(eq(usersUser.id, id))
  return isLanguage(person?.language) ? person.language : undefined
}

/** The same, of what is stored with the person. */
export function languageOfUser({ app }: Kernel, language: unknown, otherwise = standardLanguage(app)): Language {
  return isLanguage(language) ? language : otherwise
}

const isLanguage = (value: unknown): value is Language => value === 'cn' || value === 'en'
