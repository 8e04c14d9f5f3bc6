import { TabPage } from '../../generic/detail/TabPage.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'
import { adminUserPages, systemUserPages } from './system-user.page.tsx'

export const routes = places({
  name: 'SystemUserList',
  menu: 'assets',
  order: 50,
  title: msg('System users'),
  path: '/assets/system-users',
})

/**
 * Identities on assets, common and privileged. Which fields a new one has depends on its protocol,
 * so that is chosen first.
 */
export function SystemUserList({ title }: PageProps) {
  return (
    <PageFrame
      title={title}
      help={t(
        'System users are the accounts by which people log in to assets. Admin users are privileged accounts that exist there already.',
      )}
    >
      <TabPage
        tabs={[
          {
            name: 'CommonUserList',
            title: t('Common user'),
            content: () => <ResourceTable key="common" pages={systemUserPages} base="SystemUser" inAddress />,
          },
          {
            name: 'AdminUserList',
            title: t('Admin user'),
            content: () => <ResourceTable key="admin" pages={adminUserPages} base="SystemUser" inAddress />,
          },
        ]}
      />
    </PageFrame>
  )
}

export const pages = { SystemUserList }
