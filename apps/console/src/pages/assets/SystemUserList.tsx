import { TabPage } from '../../generic/detail/TabPage.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import type { PageProps } from '../registry.ts'
import { adminUserPages, systemUserPages } from './system-user.tsx'

/** Identities on assets, common and privileged. Which fields a new one has depends on its protocol, so that is chosen first. */
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
