import type { Directory } from '@sallyport/contract/resources/authentication/directory.ts'
import { showDialog } from '../../../design/dialogs/feedback.tsx'
import type { DetailProps } from '../../../generic/view/detail-view.ts'
import { t } from '../../../lib/i18n.ts'
import { inRootOrg, session } from '../../../session/session.ts'
import { furtherDirectory } from './directory-place.ts'
import { LdapLogin } from './LdapLogin.tsx'
import { LdapUsers } from './ldap-users.ts'

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
