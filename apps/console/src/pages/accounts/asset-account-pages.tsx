import { changeAuthPlanSubtask } from '@sallyport/contract/resources/accounts/change-auth-plan-subtask.ts'
import { type AssetAccount, assetAccount } from '@sallyport/contract/resources/assets/asset-account.ts'
import { assetAccountSecret } from '@sallyport/contract/resources/assets/asset-account-secret.ts'
import { linkCell } from '../../generic/cells/link-cell.tsx'
import { definePages, type ResourcePages } from '../../generic/view/define-pages.ts'
import type { ListView } from '../../generic/view/list-view.ts'
import { msg, t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { connectivityCell } from '../connectivity-cell.tsx'
import { runTask } from '../run-task.ts'
import { type AccountKind, chooseSource, updateSecret, viewHistory, viewSecret } from './account/account-dialogs.tsx'
import { NOTHING_ADDED_HERE, systemUserColumn } from './account/account-list.ts'

const KIND: AccountKind<AssetAccount> = {
  path: assetAccount.path,
  secrets: assetAccountSecret.path,
  changes: changeAuthPlanSubtask.path,
  of: (row) => [t('Hostname'), `${row.hostname}(${row.ip})`],
}

/** The table of asset accounts, on its own page or in the tab of a machine or system user. */
export const assetAccountPages = (more: Partial<ListView<AssetAccount>> = {}): ResourcePages =>
  definePages<AssetAccount>(assetAccount, {
    list: {
      columns: [
        {
          field: 'hostname',
          cell: linkCell(
            ({ asset }) => addressOf('AssetDetail', { id: asset }),
            (row) => row.hostname,
          ),
        },
        'ip',
        'username',
        { field: 'version', width: 88, align: 'right' },
        { field: 'connectivity', title: msg('Reachable'), width: 136, cell: connectivityCell },
        systemUserColumn(),
        'kept_in',
        'date_created',
        'date_updated',
      ],
      defaultColumns: ['hostname', 'ip', 'username', 'version', 'connectivity'],
      minColumns: ['username'],
      hideSearch: ['asset', 'systemuser'],
      ...NOTHING_ADDED_HERE,
      rowActions: [
        viewSecret(KIND),
        updateSecret(KIND),
        chooseSource(KIND),
        {
          name: 'test',
          title: msg('Test'),
          order: 12,
          run: (row) => runTask(`${assetAccount.path}${row.id}/verify/`, { action: 'test' }).catch(() => {}),
        },
        viewHistory(KIND),
      ],
      ...more,
    },
    rowTitle: (row) => `${row.username}@${row.hostname}`,
  })
