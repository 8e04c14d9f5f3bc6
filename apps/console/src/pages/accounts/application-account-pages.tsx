import { appChangeAuthPlanSubtask } from '@sallyport/contract/resources/accounts/app-change-auth-plan-subtask.ts'
import {
  type ApplicationAccount,
  applicationAccount,
} from '@sallyport/contract/resources/applications/application-account.ts'
import { applicationAccountSecret } from '@sallyport/contract/resources/applications/application-account-secret.ts'
import { linkCell } from '../../generic/cells/link-cell.tsx'
import { definePages, type ResourcePages } from '../../generic/view/define-pages.ts'
import type { ListView } from '../../generic/view/list-view.ts'
import { msg, t } from '../../lib/i18n.ts'
import { applicationAddress } from '../application-address.ts'
import { type AccountKind, chooseSource, updateSecret, viewHistory, viewSecret } from './account/account-dialogs.tsx'
import { NOTHING_ADDED_HERE, systemUserColumn } from './account/account-list.ts'

const KIND: AccountKind<ApplicationAccount> = {
  path: applicationAccount.path,
  secrets: applicationAccountSecret.path,
  changes: appChangeAuthPlanSubtask.path,
  of: (row) => [t('Application'), row.app_display],
}

/** The table of application accounts, on its own page or in the tab of an application or system user. */
export const applicationAccountPages = (more: Partial<ListView<ApplicationAccount>> = {}): ResourcePages =>
  definePages<ApplicationAccount>(applicationAccount, {
    list: {
      columns: [
        {
          field: 'app_display',
          title: msg('Application'),
          cell: linkCell(
            ({ category, app }) => applicationAddress(category, app),
            (row) => row.app_display,
          ),
        },
        'username',
        { field: 'category_display', title: msg('Category') },
        { field: 'type_display', title: msg('Type') },
        systemUserColumn(),
        { field: 'version', width: 88, align: 'right' },
        'kept_in',
        'date_created',
        'date_updated',
      ],
      defaultColumns: ['app_display', 'username', 'category_display', 'type_display', 'systemuser'],
      minColumns: ['app_display', 'username'],
      linkColumn: 'app_display',
      foldFirst: ['category_display'],
      hideSearch: ['app', 'systemuser'],
      ...NOTHING_ADDED_HERE,
      rowActions: [viewSecret(KIND), updateSecret(KIND), chooseSource(KIND), viewHistory(KIND)],
      ...more,
    },
    rowTitle: (row) => `${row.username}@${row.app_display}`,
  })
