import { ReloadOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Tree } from 'antd'
import { useMemo, useState } from 'react'
import { buildTree, type TreeItem, type TreeNode } from '../../generic/tree/node-items.ts'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'

export interface GrantedTreeProps {
  /** `/api/v1/perms/users/`, `/api/v1/perms/users/{id}/` or `/api/v1/perms/user-groups/{id}/`. */
  prefix: string
  /** What stands between `nodes/` and `/assets/` for the chosen node; empty for all. */
  chosen: string
  onChoose: (node: string) => void
}

/**
 * The nodes in which somebody was granted something. Choosing the chosen node again shows
 * everything.
 */
export function GrantedTreePanel({ prefix, chosen, onChoose }: GrantedTreeProps) {
  const path = `${prefix}nodes/children/tree/`
  const [children, setChildren] = useState<readonly TreeItem[]>([])
  const [loaded, setLoaded] = useState<ReadonlySet<string>>(new Set())
  const [expanded, setExpanded] = useState<string[]>()
  const top = useQuery({
    queryKey: keys.list(path, {}),
    queryFn: ({ signal }) => api.get<TreeItem[]>(path, { signal }),
  })
  const items = useMemo(
    () => [...new Map([...(top.data ?? []), ...children].map((item) => [item.id, item])).values()],
    [top.data, children],
  )
  const nodes = useMemo(() => buildTree(items, loaded), [items, loaded])
  const open = expanded ?? items.filter((item) => item.open).map(({ id }) => id)
  const selected = items.find((item) => item.meta.data.id === chosen)
  const load = async (key: string) => {
    const found = await api.get<TreeItem[]>(path, { query: { key } })
    setChildren((now) => [...now.filter(({ pId }) => pId !== key), ...found])
    setLoaded((now) => new Set([...now, key]))
  }
  const refresh = async () => {
    setChildren([])
    setLoaded(new Set())
    setExpanded(undefined)
    await top.refetch()
  }
  return (
    <div className="node-tree">
      <div className="tree-head">
        <button
          type="button"
          className="icon-button"
          aria-label={t('Refresh')}
          title={t('Refresh')}
          onClick={() => void refresh()}
        >
          <ReloadOutlined spin={top.isFetching} />
        </button>
      </div>
      {top.isError && <p role="alert">{t('Get failed')}</p>}
      {top.isPending && <span className="loading">{t('Loading')}</span>}
      {/* Mounted with its nodes: what comes later would be unfolded with a movement. */}
      {top.data && (
        <Tree<TreeNode>
          blockNode
          motion={false}
          treeData={nodes}
          expandedKeys={open}
          selectedKeys={selected ? [selected.id] : []}
          titleRender={({ item }) => <span title={item.title}>{item.name}</span>}
          loadData={({ key, item }) =>
            loaded.has(String(key)) || items.some(({ pId }) => pId === item.id) ? Promise.resolve() : load(String(key))
          }
          onExpand={(next) => setExpanded(next.map(String))}
          onSelect={(_, { node, selected: on }) => onChoose(on ? node.item.meta.data.id : '')}
        />
      )}
      {top.data?.length === 0 && <span className="nothing">{t('Empty')}</span>}
    </div>
  )
}
