import { msg } from '../../lib/i18n.ts'
import { places } from '../../navigation/page-place.ts'
import { ListTabs, type TabbedList } from '../ListTabs.tsx'
import type { PageProps } from '../page-props.ts'
import { adminUserPages, systemUserPages } from './system-user.page.tsx'

export const routes = places({
  name: 'SystemUserList',
  menu: 'assets',
  order: 50,
  title: msg('System users'),
  path: '/assets/system-users',
})

const LISTS: readonly TabbedList[] = [
  { name: 'CommonUserList', title: msg('Common user'), pages: systemUserPages, base: 'SystemUser' },
  { name: 'AdminUserList', title: msg('Admin user'), pages: adminUserPages, base: 'SystemUser' },
]

/**
 * Identities on assets, common and privileged. Which fields a new one has depends on its protocol,
 * so that is chosen first.
 */
export function SystemUserList({ title }: PageProps) {
  return (
    <ListTabs
      title={title}
      lead={msg(
        'System users are the accounts by which people log in to assets. Admin users are privileged accounts that exist there already.',
      )}
      lists={LISTS}
    />
  )
}

export const pages = { SystemUserList }
