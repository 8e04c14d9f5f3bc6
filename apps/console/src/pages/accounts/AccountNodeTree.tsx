import { nodeTree } from '../../generic/tree/NodeTree.tsx'
import type { LeftTreeProps } from '../../generic/view/list-view.ts'

const Nodes = nodeTree({ assets: true, readOnly: true })

/** Nodes and machines beside accounts, whose list has other words for what is chosen. */
export function AccountNodeTree({ query, setQuery, ...props }: LeftTreeProps) {
  return (
    <Nodes
      {...props}
      query={{ ...query, node_id: query.node ?? '', asset_id: query.asset ?? '' }}
      setQuery={({ node_id = '', asset_id = '' }) => setQuery({ node: node_id, asset: asset_id })}
    />
  )
}
