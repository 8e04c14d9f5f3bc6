import type { Application } from '@sallyport/contract/resources/applications/application.ts'
import {
  type ApplicationPermission,
  applicationPermission,
} from '@sallyport/contract/resources/perms/application-permission.ts'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { applicationAmountColumns } from '../perms/permission-columns.tsx'

const rules = definePages<ApplicationPermission>(applicationPermission, {
  list: {
    columns: ['name', ...applicationAmountColumns, 'date_expired', 'is_valid'],
    canClone: false,
    canBulkDelete: false,
    hasImport: false,
    hasExport: false,
  },
})

/** The permissions that name an application. A new one begins with it. */
export function ApplicationRules({ row }: DetailProps<Application>) {
  const { id, category, type } = row
  return (
    <ResourceTable
      pages={rules}
      base="ApplicationPermission"
      inAddress={false}
      query={{ application_id: id }}
      createQuery={{ category, type, application: id }}
    />
  )
}
