import { useEffect, useRef } from 'react'
import { api } from '../../lib/api.ts'
import type { LeftTreeProps } from '../view/list-view.ts'
import { NODES } from './node-paths.ts'
import type { TreeItems } from './use-tree-items.ts'

/**
 * A link, a search, a reload or the back button may bring a chosen node or asset that lies in a
 * closed branch: the way down to it is opened, once.
 */
export function useWayToChosen(tree: TreeItems, query: LeftTreeProps['query']): void {
  const chosen = query.node_id || query.asset_id || ''
  const isShown = tree.rows.some(({ item }) => item.meta.data.id === chosen)
  const lookedFor = useRef('')
  useEffect(() => {
    if (!tree.top.data || chosen === lookedFor.current) return
    lookedFor.current = chosen
    if (chosen !== '' && !isShown) void openWayTo(chosen).catch(() => {})
  })
  const openWayTo = async (id: string) => {
    const quiet = { quiet: true }
    const node = query.node_id
      ? id
      : ((await api.get<{ nodes: string[] }>(`/api/v1/assets/assets/${encodeURIComponent(id)}/`, quiet)).nodes[0] ?? '')
    const { key } = await api.get<{ key: string }>(`${NODES}${encodeURIComponent(node)}/`, quiet)
    // An asset hangs below its node, a node below its parent.
    await tree.openWayTo(key, { itself: !query.node_id })
  }
}
