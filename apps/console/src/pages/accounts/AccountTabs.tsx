import { assetAccount } from '@sallyport/contract/resources/assets/asset-account.ts'
import { QuickActions } from '../../generic/detail/QuickActions.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { msg } from '../../lib/i18n.ts'
import { runTask } from '../run-task.ts'
import { applicationAccountPages } from './application-account-pages.tsx'
import { assetAccountPages } from './asset-account-pages.tsx'

const ofAsset = assetAccountPages({
  defaultColumns: ['username', 'version', 'connectivity', 'systemuser'],
  foldFirst: ['version'],
  hasExport: false,
})
const ofSystemUser = assetAccountPages({
  defaultColumns: ['hostname', 'ip', 'username', 'version', 'connectivity'],
  foldFirst: ['version', 'ip'],
  hasExport: false,
})
const ofApplication = applicationAccountPages({
  defaultColumns: ['username', 'systemuser', 'version'],
  minColumns: ['username'],
  hasExport: false,
})
const ofApplicationUser = applicationAccountPages({ hasExport: false })

/** Accounts on assets, and whether each can log in. */
export function AssetAccounts({ row, refresh }: DetailProps) {
  return (
    <div className="detail-grid">
      <ResourceTable pages={ofAsset} base="AssetAccount" inAddress={false} query={{ asset: row.id }} />
      <div className="detail-side">
        <QuickActions
          row={row}
          refresh={refresh}
          actions={[
            {
              name: 'test-all',
              title: msg('Test all accounts'),
              button: msg('Test'),
              run: () => runTask(`${assetAccount.path}tasks/?asset=${row.id}`, { action: 'test' }),
            },
          ]}
        />
      </div>
    </div>
  )
}

/** The accounts of a system user on machines. */
export function SystemUserAccounts({ row }: DetailProps) {
  return <ResourceTable pages={ofSystemUser} base="AssetAccount" inAddress={false} query={{ systemuser: row.id }} />
}

/** Accounts on applications. */
export function ApplicationAccounts({ row }: DetailProps) {
  return <ResourceTable pages={ofApplication} base="ApplicationAccount" inAddress={false} query={{ app: row.id }} />
}

/** The accounts of a system user on applications. */
export function SystemUserApplicationAccounts({ row }: DetailProps) {
  return (
    <ResourceTable
      pages={ofApplicationUser}
      base="ApplicationAccount"
      inAddress={false}
      query={{ systemuser: row.id }}
    />
  )
}
