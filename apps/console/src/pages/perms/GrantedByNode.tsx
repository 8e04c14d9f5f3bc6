import { grantedAsset } from '@sallyport/contract/resources/perms/granted-asset.ts'
import { useState } from 'react'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import type { ResourcePages } from '../../generic/view/define-pages.ts'
import type { Query } from '../../lib/api.ts'
import { BorrowedMetadata } from '../BorrowedMetadata.tsx'
import { GrantedTree } from './GrantedTree.tsx'

interface GrantedByNodeProps {
  /** `/api/v1/perms/users/`, `/api/v1/perms/users/{id}/` or `/api/v1/perms/user-groups/{id}/`. */
  prefix: string
  /** Address of the list of all granted assets. */
  everything?: string
  pages: ResourcePages
  base: string
  query?: Query
  /** Keeps page, order and search of the whole list in the page's address. */
  inAddress?: boolean
}

/** The tree of granted nodes, beside the assets of the chosen node or of all nodes. */
export function GrantedByNode(props: GrantedByNodeProps) {
  const { prefix, everything = `${prefix}assets/`, pages, base, query, inAddress = false } = props
  const [node, setNode] = useState('')
  const path = node ? `${prefix}nodes/${node}/assets/` : everything
  return (
    <div className="with-tree">
      <aside>
        <GrantedTree prefix={prefix} chosen={node} onChoose={setNode} />
      </aside>
      <div className="beside-tree">
        <BorrowedMetadata path={path} owner={grantedAsset.path}>
          <ResourceTable
            key={path}
            pages={pages}
            base={base}
            path={path}
            inAddress={inAddress && node === ''}
            {...(query ? { query } : {})}
          />
        </BorrowedMetadata>
      </div>
    </div>
  )
}
