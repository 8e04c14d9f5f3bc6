import { FindBox } from '../../generic/find/FindBox.tsx'
import { nodeFinding } from '../../generic/tree/find-nodes.tsx'
import { Tree } from '../../generic/tree/Tree.tsx'
import { TreeFrame } from '../../generic/tree/TreeFrame.tsx'
import { useTreeItems } from '../../generic/tree/use-tree-items.ts'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { keys, queryClient } from '../../lib/query.ts'

interface GrantedNode {
  id: string
  key: string
  name: string
}

const MAX_FOUND = 20

export interface GrantedTreeProps {
  /** `/api/v1/perms/users/`, `/api/v1/perms/users/{id}/` or `/api/v1/perms/user-groups/{id}/`. */
  prefix: string
  /** The part of the address between `nodes/` and `/assets/` for the chosen node; empty for all. */
  chosen: string
  onChoose: (node: string) => void
}

/**
 * The nodes in which somebody was granted something. Choosing the chosen node again shows
 * everything.
 */
export function GrantedTree({ prefix, chosen: chosenId, onChoose }: GrantedTreeProps) {
  const tree = useTreeItems(`${prefix}nodes/children/tree/`)
  const chosen = tree.items.find((item) => item.meta.data.id === chosenId)
  const path = `${prefix}nodes/`
  /** All that were granted: these calls know no search. */
  const readNodes = () =>
    queryClient.fetchQuery({
      queryKey: keys.list(path, {}),
      queryFn: () => api.get<GrantedNode[]>(path, { quiet: true }),
      staleTime: 60_000,
    })
  const find = async (words: string) => {
    const nodes = await readNodes()
    const matching = nodes.filter(({ name }) => name.toLowerCase().includes(words.toLowerCase()))
    const wayTo = ({ key }: GrantedNode) =>
      nodes
        .flatMap((above) => (key.startsWith(`${above.key}:`) ? above.name : []))
        .concat('')
        .join('/')
    const found = matching
      .slice(0, MAX_FOUND)
      .map((node) => nodeFinding({ ...node, full_value: wayTo(node) + node.name }))
    return { found, more: matching.length - found.length }
  }
  const chooseFound = async (id: string) => {
    onChoose(id)
    const found = (await readNodes()).find((node) => node.id === id)
    if (found) await tree.openWayTo(found.key, { itself: false })
  }
  return (
    <TreeFrame
      top={tree.top}
      chosen={chosen}
      onRefresh={tree.refresh}
      search={
        <FindBox
          label={t('Find in the tree')}
          name={path}
          find={find}
          onChoose={({ id }) => void chooseFound(id).catch(() => {})}
        />
      }
    >
      <Tree
        label={t('Nodes')}
        rows={tree.rows}
        reading={tree.reading}
        chosen={chosen}
        onChoose={(item) => onChoose(item === chosen ? '' : item.meta.data.id)}
        onToggle={(item) => void tree.toggle(item)}
      />
    </TreeFrame>
  )
}
