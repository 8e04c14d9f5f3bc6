import { type GrantedAsset, grantedAsset } from '@sallyport/contract/resources/perms/granted-asset.ts'
import { useState } from 'react'
import { linkCell } from '../../generic/cells/link-cell.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { msg } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { GrantedByNode } from './GrantedByNode.tsx'

function grantedPages(prefix: string) {
  return definePages<GrantedAsset>(grantedAsset, {
    list: {
      columns: [
        {
          field: 'hostname',
          cell: linkCell(
            ({ id }) => addressOf('AssetDetail', { id }),
            (row) => String(row.hostname),
          ),
        },
        'ip',
        {
          field: 'system_users',
          title: msg('System users@@field'),
          lazyNames: (row) => `${prefix}assets/${row.id}/system-users/`,
        },
      ],
    },
  })
}

/** What somebody was granted, by nodes. `prefix` is the path of their grants. */
function GrantedAssets({ prefix }: { prefix: string }) {
  const [pages] = useState(() => grantedPages(prefix))
  return <GrantedByNode prefix={prefix} pages={pages} base="GrantedAsset" query={{ all: 1 }} />
}

/** Assets of a person. */
export const GrantedToUser = ({ row }: DetailProps) => (
  <GrantedAssets key={row.id} prefix={`/api/v1/perms/users/${row.id}/`} />
)
/** Assets of a group. */
export const GrantedToGroup = ({ row }: DetailProps) => (
  <GrantedAssets key={row.id} prefix={`/api/v1/perms/user-groups/${row.id}/`} />
)
