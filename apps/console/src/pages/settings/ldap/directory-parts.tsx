import { type Directory, directory } from '@sallyport/contract/resources/authentication/directory.ts'
import { useParams } from 'react-router'
import { showDialog } from '../../../design/dialogs/feedback.tsx'
import type { DetailProps } from '../../../generic/view/detail-view.ts'
import { t } from '../../../lib/i18n.ts'
import { inRootOrg, session } from '../../../session/session.ts'
import { FormTest } from '../TestButton.tsx'
import { testSettings } from '../use-settings-test.ts'
import { furtherDirectory } from './directory-place.ts'
import { LdapLogin } from './LdapLogin.tsx'
import { LdapUsers } from './LdapUsers.tsx'

/** In the place of a field: has the server try the directory as the form shows it, saved or not. */
export function DirectoryTest() {
  const { id } = useParams()
  return (
    <FormTest
      words={t('Test connection')}
      test={(values) => testSettings(`${directory.path}test/`, { ...values, ...(id ? { id } : {}) })}
    />
  )
}

/** The people of a directory, on its page. */
export function DirectoryUsers({ row }: DetailProps<Directory>) {
  return <LdapUsers place={furtherDirectory(row.id)} lead={whereTo()} />
}

const whereTo = () =>
  inRootOrg()
    ? t('New people become users of the Default organization.')
    : t('Imported people become users of {{org}}.', { org: session().org?.name ?? 'Default' })

export function tryLogin({ id, name }: Directory): void {
  showDialog({ title: t('Test login: {{name}}', { name }), content: <LdapLogin place={furtherDirectory(id)} /> })
}
