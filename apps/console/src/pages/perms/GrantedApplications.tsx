import { type GrantedApplication, grantedApplication } from '@sallyport/contract/resources/perms/granted-application.ts'
import { linkCell } from '../../generic/cells/link-cell.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { msg } from '../../lib/i18n.ts'
import { applicationAddress } from '../application-address.ts'
import { placeOf } from '../application-place.ts'
import { BorrowedMetadata } from '../BorrowedMetadata.tsx'

function grantedPages(prefix: string) {
  return definePages<GrantedApplication>(grantedApplication, {
    list: {
      columns: [
        {
          field: 'name',
          cell: linkCell(
            ({ category, id }) => applicationAddress(category, id),
            (row) => row.name,
          ),
        },
        { field: 'category_display', title: msg('Category') },
        { field: 'type_display', title: msg('Type') },
        { field: 'attrs', title: msg('Address'), sorter: false, cell: ({ row }) => placeOf(row.attrs) },
        ...(prefix.includes('/user-groups/')
          ? []
          : [
              {
                field: 'system_users',
                title: msg('System users@@field'),
                lazyNames: (row: GrantedApplication) => `${prefix}applications/${row.id}/system-users/`,
              },
            ]),
        'comment',
      ],
    },
  })
}

function GrantedApplications({ prefix }: { prefix: string }) {
  const path = `${prefix}applications/`
  return (
    <BorrowedMetadata path={path} owner={grantedApplication.path}>
      <ResourceTable pages={grantedPages(prefix)} base="GrantedApplication" path={path} inAddress={false} />
    </BorrowedMetadata>
  )
}

/** The applications that a person was granted. */
export const ApplicationsGrantedToUser = ({ row }: DetailProps) => (
  <GrantedApplications key={row.id} prefix={`/api/v1/perms/users/${row.id}/`} />
)
/** The applications that a group was granted. */
export const ApplicationsGrantedToGroup = ({ row }: DetailProps) => (
  <GrantedApplications key={row.id} prefix={`/api/v1/perms/user-groups/${row.id}/`} />
)
