import { DownOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Dropdown } from 'antd'
import { useNavigate } from 'react-router'
import { PageFrame } from '../../app/PageFrame.tsx'
import type { PageProps } from '../../app/registry.ts'
import { addressOf } from '../../app/routes.ts'
import { inRootOrg } from '../../app/session.ts'
import { ResourceTable } from '../../generic/ResourceTable.tsx'
import { TabPage } from '../../generic/TabPage.tsx'
import { t } from '../../lib/i18n.ts'
import { adminUserPages, systemUserPages } from './system-user.tsx'

const PROTOCOLS = [
  ['ssh', 'SSH'],
  ['rdp', 'RDP'],
  ['vnc', 'VNC'],
  ['telnet', 'Telnet'],
] as const

/** Identities on assets, common and privileged. Which fields a new one has depends on its protocol, so that is chosen first. */
export function SystemUserList({ title }: PageProps) {
  const navigate = useNavigate()
  const create = addressOf('SystemUserCreate') ?? '/'
  const frozen = inRootOrg()
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
            content: () => (
              <div className="create-menu">
                <div className="above-table">
                  <Dropdown
                    trigger={['click']}
                    disabled={frozen}
                    menu={{
                      items: PROTOCOLS.map(([key, label]) => ({ key, label })),
                      onClick: ({ key }) => void navigate(`${create}?protocol=${key}&type=common`),
                    }}
                  >
                    <Button type="primary" icon={<PlusOutlined />} disabled={frozen}>
                      {t('Create')} <DownOutlined />
                    </Button>
                  </Dropdown>
                </div>
                <ResourceTable key="common" pages={systemUserPages} base="SystemUser" inAddress />
              </div>
            ),
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
