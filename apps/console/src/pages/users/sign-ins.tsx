import { signIn } from '@sallyport/contract/resources/authentication/sign-in.ts'
import type { User } from '@sallyport/contract/resources/users/user.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { t } from '../../lib/i18n.ts'
import { mayAccess } from '../../session/session.ts'
import { SignInList } from './SignInList.tsx'
import { mayChangePerson } from './shared-person.ts'

/** Where the caller is signed in. */
export function OwnSignIns() {
  return (
    <SignInList
      title={t('My active sign-ins')}
      path={signIn.path}
      mayEnd
      all={{
        path: `${signIn.path}others/`,
        button: t('Sign out everywhere else'),
        question: t('Sign out all your other browsers, tokens and SSH connections?'),
        effect: t('This browser stays signed in.'),
      }}
    />
  )
}

/**
 * Where another person is signed in; of people who belong elsewhere too, system administrators
 * alone see it.
 */
export function UserSignIns({ row }: DetailProps<User>) {
  if (row.belongs_elsewhere) return <p className="quiet">{mayChangePerson(row)}</p>
  const path = `/api/v1/users/users/${row.id}/sessions/`
  return (
    <SignInList
      title={t('Where {{name}} is signed in', { name: row.name })}
      path={path}
      mayEnd={row.can_update && mayAccess(['org_admin'])}
      all={{
        path,
        button: t('Sign out everywhere'),
        question: t('Sign out all browsers, tokens and SSH connections of {{name}}?', { name: row.name }),
        effect: t('Programs that use their tokens are refused at once.'),
      }}
    />
  )
}
