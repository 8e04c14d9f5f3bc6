import { type SystemUser, systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'

const pages = definePages<SystemUser>(systemUser, {
  list: {
    columns: ['name', 'username', 'protocol', 'login_mode', 'comment'],
    canCreate: false,
    canDelete: false,
    hasImport: false,
    hasExport: false,
  },
})

/** The system users that are switched to from this one (docs/rules/assets.md#su_from). */
export function SwitchToUsers({ row }: DetailProps) {
  return (
    <ResourceTable
      pages={pages}
      base="SystemUser"
      inAddress={false}
      path={`${systemUser.path}${String(row.id)}/su-to/`}
    />
  )
}
