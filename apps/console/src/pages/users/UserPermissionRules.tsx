import { type AssetPermission, assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { amountColumns } from '../perms/amount-columns.tsx'

const rules = definePages<AssetPermission>(assetPermission, {
  list: { columns: ['name', ...amountColumns, 'is_valid'], canCreate: false, canClone: false, canBulkDelete: false },
})

/** The permissions that reach a person, directly or through a group. */
export function UserPermissionRules({ row }: DetailProps) {
  return <ResourceTable pages={rules} base="AssetPermission" inAddress={false} query={{ user_id: row.id }} />
}
