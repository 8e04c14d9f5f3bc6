import { type Organization, organization } from '@sallyport/contract/resources/orgs/organization.ts'
import { showDialog } from '../../design/dialogs/feedback.tsx'
import { deleteRow } from '../../generic/rows/deleting.ts'
import { api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { session } from '../../session/session.ts'
import { dropFromSelector } from './selector.ts'

/** What must be gone before an organization can be deleted, of what its statistics count. */
const HOLDINGS: readonly (readonly [string, string])[] = [
  ['users_amount', msg('Users@@field')],
  ['groups_amount', msg('User groups@@card')],
  ['assets_amount', msg('Assets@@count')],
  ['nodes_amount', msg('Nodes@@count')],
  ['admin_users_amount', msg('Admin users@@count')],
  ['system_users_amount', msg('System users@@count')],
  ['domains_amount', msg('Domains@@count')],
  ['gateways_amount', msg('Gateways@@count')],
  ['applications_amount', msg('Applications@@count')],
  ['asset_perms_amount', msg('Asset permissions@@count')],
  ['app_perms_amount', msg('Application permissions@@count')],
]

/**
 * Says what is left in the organization, or asks and deletes it when it looks empty; the server has
 * the last say.
 */
export async function deleteOrg(row: Organization, done: () => unknown): Promise<void> {
  if (row.id === session().org?.id) {
    showDialog({
      title: t('Delete organization'),
      content: t('You work in this organization. Switch to another one before you delete it.'),
    })
    return
  }
  // Counted now: the list may be old.
  const { resource_statistics } = await api.get<Organization>(`${organization.path}${row.id}/`)
  const left = HOLDINGS.filter(([name]) => Number(resource_statistics[name] ?? 0) > 0)
  if (left.length > 0) {
    showDialog({
      title: t('"{{name}}" is not empty', { name: row.name }),
      content: (
        <>
          <p>{t('An organization can be deleted when nothing is left in it. Still there:')}</p>
          <ul>
            {left.map(([name, title]) => (
              <li key={name}>
                {t(title)}: {Number(resource_statistics[name])}
              </li>
            ))}
          </ul>
        </>
      ),
    })
    return
  }
  deleteRow({ resource: organization.name, path: organization.path }, row, row.name, () => {
    dropFromSelector(row.id)
    return done()
  })
}
