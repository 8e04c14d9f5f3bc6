import {
  type ApplicationPermission,
  applicationPermission,
} from '@sallyport/contract/resources/perms/application-permission.ts'
import { type AssetPermission, assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { msg } from '../../lib/i18n.ts'
import { amountColumns, applicationAmountColumns } from '../perms/permission-columns.tsx'

const READ_ONLY = { canCreate: false, canClone: false, canBulkDelete: false } as const

const rules = definePages<AssetPermission>(assetPermission, {
  list: { columns: ['name', ...amountColumns, 'is_valid'], ...READ_ONLY },
})
const applicationRules = definePages<ApplicationPermission>(applicationPermission, {
  list: {
    columns: ['name', { field: 'type_display', title: msg('Type') }, ...applicationAmountColumns, 'is_valid'],
    ...READ_ONLY,
  },
})

/** The permissions on machines that reach a person, directly or through a group. */
export function UserPermissionRules({ row }: DetailProps) {
  return <ResourceTable pages={rules} base="AssetPermission" inAddress={false} query={{ user_id: row.id }} />
}

/** The same on applications. */
export function UserApplicationRules({ row }: DetailProps) {
  return (
    <ResourceTable
      pages={applicationRules}
      base="ApplicationPermission"
      inAddress={false}
      query={{ user_id: row.id }}
    />
  )
}
