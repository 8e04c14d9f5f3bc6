import type { SignIn } from '@sallyport/contract/resources/authentication/sign-in.ts'
import { confirmDanger, showSuccess } from '../../design/dialogs/feedback.tsx'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'

/**
 * The program in a few words: `Firefox 143 · Windows`, `OpenSSH_9.2`; empty when it does not say.
 */
export const programOf = ({ browser, system, user_agent }: SignIn) =>
  [browser, system].filter(Boolean).join(' · ') || user_agent

/**
 * The name of a sign-in: the program alone for browsers, `SSH connection · OpenSSH_9.2`
 * for others.
 */
export function signInName(row: SignIn): string {
  const { kind, kind_display } = row
  const program = programOf(row)
  if (kind === 'browser') return program || t('Unknown program')
  return [kind_display, program].filter(Boolean).join(' · ')
}

/** The address that it was used from, with the city where that is known. */
export const placeOf = ({ remote_addr, city }: SignIn) => (city ? `${remote_addr} (${city})` : remote_addr)

function effectOf({ kind }: SignIn): string {
  if (kind === 'browser') return t('Whoever uses it must sign in again.')
  if (kind === 'browser_hold')
    return t('The next connection with this key is to be confirmed again. Open connections go on: revoke them as well.')
  return t('Anything that uses it is cut off at once.')
}

/**
 * Asks first. The call tells about a failure by itself; `done` runs either way, so that the list
 * says what holds.
 */
export function endSignIn(row: SignIn, path: string, done: () => Promise<unknown>, person?: string): void {
  const name = [person, signInName(row), row.remote_addr].filter(Boolean).join(', ')
  const isBrowser = row.kind === 'browser'
  confirmDanger({
    title: isBrowser ? t('Sign out {{name}}?', { name }) : t('Revoke {{name}}?', { name }),
    content: effectOf(row),
    okText: isBrowser ? t('Sign out') : t('Revoke@@access'),
    onOk: async () => {
      try {
        await api.delete(`${path}${row.id}/`)
        showSuccess(isBrowser ? t('Signed out') : t('Ended@@access'))
      } catch {
        // Shown already; the dialog closes all the same.
      } finally {
        await done()
      }
    },
  })
}
