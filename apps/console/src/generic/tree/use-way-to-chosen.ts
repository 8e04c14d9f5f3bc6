import { useEffect, useRef } from 'react'
import { api } from '../../lib/api.ts'
import type { LeftTreeProps } from '../view/list-view.ts'
import { NODES } from './node-paths.ts'
import type { TreeItems } from './use-tree-items.ts'

/**
 * A link, a reload or the back button may bring a chosen node or asset that lies in a closed branch:
 * the way down to it is opened, once.
 */
export function useWayToChosen(tree: TreeItems, query: LeftTreeProps['query']): void {
  const chosen = query.node_id || query.asset_id || ''
  const isShown = tree.items.some(({ meta }) => meta.data.id === chosen)
  const lookedFor = useRef('')
  const isHidden = tree.top.data !== undefined && chosen !== '' && !isShown
  useEffect(() => {
    if (!isHidden || lookedFor.current === chosen) return
    lookedFor.current = chosen
    void openWayTo(chosen).catch(() => {})
  })
  const openWayTo = async (id: string) => {
    const quiet = { quiet: true }
    const node = query.node_id
      ? id
      : ((await api.get<{ nodes: string[] }>(`/api/v1/assets/assets/${encodeURIComponent(id)}/`, quiet)).nodes[0] ?? '')
    const { key } = await api.get<{ key: string }>(`${NODES}${encodeURIComponent(node)}/`, quiet)
    const steps = key.split(':')
    // An asset hangs below its node, a node below its parent.
    const way = steps.map((_, at) => steps.slice(0, at + 1).join(':')).slice(0, query.node_id ? -1 : undefined)
    for (const step of way) if (!tree.items.some(({ pId }) => pId === step)) await tree.load(step)
    tree.setOpen([...tree.open, ...way])
  }
}
