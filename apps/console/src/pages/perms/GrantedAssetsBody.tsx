import { type GrantedAsset, grantedAsset } from '@sallyport/contract/resources/perms/granted-asset.ts'
import { useState } from 'react'
import { Link } from 'react-router'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import { msg } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { useBorrowedMetadata } from '../borrowed-metadata.ts'
import { GrantedTree } from './GrantedTree.tsx'

function grantedPages(prefix: string) {
  return definePages<GrantedAsset>(grantedAsset, {
    list: {
      columns: [
        {
          field: 'hostname',
          cell: ({ row }) => {
            const detail = addressOf('AssetDetail', { id: row.id })
            return detail ? <Link to={detail}>{String(row.hostname)}</Link> : String(row.hostname)
          },
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
export function GrantedAssetsBody({ prefix }: { prefix: string }) {
  const [node, setNode] = useState('')
  const [pages] = useState(() => grantedPages(prefix))
  const path = node ? `${prefix}nodes/${node}/assets/` : `${prefix}assets/`
  const ready = useBorrowedMetadata(path, grantedAsset.path)
  return (
    <div className="with-tree">
      <aside>
        <GrantedTree prefix={prefix} chosen={node} onChoose={setNode} />
      </aside>
      <div className="beside-tree inset">
        {ready && (
          <ResourceTable
            key={path}
            pages={pages}
            base="GrantedAsset"
            path={path}
            inAddress={false}
            query={{ all: 1 }}
          />
        )}
      </div>
    </div>
  )
}
