import { randomUUID } from 'node:crypto'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { findUser, languageOfPerson } from '../users/index.ts'
import { isMfaDue } from '../users/profile/index.ts'
import { signInByBrowserCode, takesBrowser } from './browser-sign-in/sign-in.ts'
import { type MfaType, noCodeText } from './factors/index.ts'
import { checkSecondFactor } from './second-factor/second-factor.ts'
import { checkSignIn, dueOf, finishSignIn, type SignedIn, type SignInClient } from './sign-in/sign-in.ts'

/** What can be typed behind a password; other factors send something first, or need a browser. */
const FACTOR: MfaType = 'otp'
const CODE = /^(.*)(\d{6})$/s

export interface OneAnswer {
  username: string
  /**
   * Where a second factor is due, the code of the authenticator app follows the password; or the
   * word or code of a sign-in in the browser.
   */
  password: string
  address: string
}

/**
 * Signs in somebody whose client asks a single question, such as that of a database. Locks, rules,
 * account state and the login log are those of every sign-in; what needs a dialogue is refused in
 * words.
 */
export async function signInByOneAnswer(
  kernel: Kernel,
  signInClient: SignInClient,
  { username, password, address }: OneAnswer,
): Promise<{ user: SignedIn } | { message: string }> {
  const attempt = { username, address, type: 'T' as const }
  const person = await findUser(kernel.db, { username })
  const [, before, code] = (person && (await isMfaDue(kernel, person)) && CODE.exec(password)) || []
  const answer =
    (await signInByBrowserCode(kernel, signInClient, { username, password, address })) ??
    (await checkSignIn(kernel, signInClient, { ...attempt, password: before ?? password }))
  if ('error' in answer) return { message: withHint(kernel, signInClient, answer) }
  if ('user' in answer) return answer
  const { proven, due } = answer
  const language = await languageOfPerson(kernel, proven.user_id)
  const say = (text: string) => ({ message: translate(language, text) })
  let rest = due
  if (due.step === 'mfa') {
    if (!due.choices.includes(FACTOR)) return say(noCodeText(due.choices))
    if (code === undefined) return say('Type the code of your authenticator app right behind your password')
    const factor = {
      user: { id: proven.user_id, username: proven.username },
      factor: FACTOR,
      code,
      holder: randomUUID(),
    }
    const refused = await checkSecondFactor(kernel, { ...signInClient, language }, { ...attempt, ...factor })
    if (refused) return refused
    proven.mfa = true
    const next = await dueOf(kernel, proven, address)
    if (!next) return finishSignIn(kernel, { ...signInClient, language }, attempt, proven)
    rest = next
  }
  return rest.step === 'confirm'
    ? say('This sign-in must be confirmed by others: connect with a connection token instead')
    : say(noCodeText(rest.choices))
}

/** People of a provider have no password: a wrong one is answered with the way that they have. */
function withHint(
  kernel: Kernel,
  { language }: SignInClient,
  { error, message }: { error: string; message: string },
): string {
  if (error !== 'password_failed' || !takesBrowser(kernel)) return message
  return `${message} ${translate(language, 'No password here? Give the word browser for it, and confirm in a browser.')}`
}
