import { MoreOutlined, ReloadOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Dropdown, Input, Tree } from 'antd'
import { useEffect, useMemo, useRef, useState } from 'react'
import { ask, confirmDanger, showSuccess } from '../../design/feedback.tsx'
import { api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { keys, queryClient } from '../../lib/query.ts'
import { inRootOrg, mayAccess } from '../../session/session.ts'
import type { LeftTreeProps } from '../view/define-pages.ts'
import { bareName, buildTree, type TreeItem, type TreeNode } from './node-items.ts'

const NODES = '/api/v1/assets/nodes/'
const TREE = `${NODES}children/tree/`
/** The favourites pseudo node takes no changes. */
const FAVOURITES = '-12'

/** What a menu entry can do. */
export interface NodeMenuContext {
  /** Reads tree and list again. */
  refresh: () => Promise<void>
  query: LeftTreeProps['query']
  setQuery: LeftTreeProps['setQuery']
}

export interface NodeMenuEntry {
  name: string
  /** Marked with `msg`. */
  title: string
  danger?: boolean
  has?: (item: TreeItem, query: LeftTreeProps['query']) => boolean
  run: (item: TreeItem, context: NodeMenuContext) => unknown
}

export interface NodeTreeOptions {
  /** After Create, Rename and Delete. */
  menu?: readonly NodeMenuEntry[]
  /** Lists the assets of a node as leaves. */
  assets?: boolean
  /** Without any menu. */
  readOnly?: boolean
}

/** The tree itself, with its menu. */
export function NodeTreePanel({
  query,
  setQuery,
  refreshList,
  menu = [],
  assets = false,
  readOnly = false,
}: LeftTreeProps & NodeTreeOptions) {
  const [children, setChildren] = useState<readonly TreeItem[]>([])
  const [loaded, setLoaded] = useState<ReadonlySet<string>>(new Set())
  const [expanded, setExpanded] = useState<string[]>()
  const [renaming, setRenaming] = useState<string>()
  const [menuOf, setMenuOf] = useState<TreeItem>()
  const flag = assets ? 1 : 0
  const top = useQuery({
    queryKey: keys.list(TREE, { assets: flag }),
    queryFn: ({ signal }) => api.get<TreeItem[]>(TREE, { query: { assets: flag }, signal }),
  })
  const items = useMemo(
    () => [...new Map([...(top.data ?? []), ...children].map((item) => [item.id, item])).values()],
    [top.data, children],
  )
  const nodes = useMemo(() => buildTree(items, loaded), [items, loaded])
  const selected = items.find(({ meta }) => meta.data.id === (query.node_id || query.asset_id))
  const open = expanded ?? items.filter((item) => item.open).map(({ id }) => id)
  const writable = !readOnly && !inRootOrg() && mayAccess(['org_admin'])
  const mayChange = (item: TreeItem) => writable && item.meta.type === 'node' && item.id !== FAVOURITES

  // A link, a reload or the back button may bring a chosen node that lies in a closed branch: the
  // way down to it is opened.
  const chosen = query.node_id || query.asset_id || ''
  const lookedFor = useRef('')
  const isHidden = top.data !== undefined && chosen !== '' && !selected
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
    for (const step of way) if (!items.some(({ pId }) => pId === step)) await loadChildren(step)
    setExpanded([...new Set([...open, ...way])])
  }

  const loadChildren = async (key: string) => {
    const found = await api.get<TreeItem[]>(TREE, { query: { key, assets: flag } })
    setChildren((now) => [...now.filter(({ pId }) => pId !== key), ...found])
    setLoaded((now) => new Set([...now, key]))
  }
  const refresh = async () => {
    await queryClient.invalidateQueries({ queryKey: keys.all(TREE) })
    await Promise.all([...loaded].map((key) => loadChildren(key).catch(() => {})))
    await refreshList()
  }
  const create = async (item: TreeItem) => {
    const made = await api.post<{ id: string }>(`${NODES}${item.meta.data.id}/children/`)
    setExpanded([...open, item.id])
    await loadChildren(item.id)
    await refresh()
    setRenaming(made.id)
  }
  const rename = async (item: TreeItem, value: string) => {
    setRenaming(undefined)
    const name = value.trim()
    if (name === '' || name === bareName(item.name)) return
    await api.patch(`${NODES}${item.meta.data.id}/`, { value: name })
    await refresh()
  }
  const base: NodeMenuEntry[] = [
    { name: 'create', title: msg('Create node'), run: (item) => create(item) },
    {
      name: 'rename',
      title: msg('Rename node'),
      has: ({ pId }) => pId !== '',
      run: (item) => setRenaming(item.meta.data.id),
    },
    {
      name: 'delete',
      title: msg('Delete node'),
      danger: true,
      has: ({ pId }) => pId !== '',
      run: (item) =>
        confirmDanger({
          content: t('Delete "{{name}}"? This cannot be undone.', { name: bareName(item.name) }),
          okText: t('Delete'),
          onOk: async () => {
            await api.delete(`${NODES}${item.meta.data.id}/`)
            showSuccess(t('Delete success'))
            setChildren((now) => now.filter(({ id }) => id !== item.id))
            if (query.node_id === item.meta.data.id) setQuery({ node_id: '' })
            await refresh()
          },
        }),
    },
  ]
  const menuFor = (item: TreeItem | undefined) => {
    const entries = item ? [...base, ...menu].filter(({ has }) => has?.(item, query) !== false) : []
    return {
      items: entries.map(({ name, title, danger }) => ({ key: name, label: t(title), danger: danger === true })),
      onClick: ({ key }: { key: string }) => {
        setMenuOf(undefined)
        // A failed call has told the person itself.
        if (item)
          void Promise.resolve(entries.find(({ name }) => name === key)?.run(item, { refresh, query, setQuery })).catch(
            () => {},
          )
      },
    }
  }
  const move = async (dragged: TreeItem, target: TreeItem) => {
    const content = t('Move "{{name}}" under "{{target}}"?', {
      name: bareName(dragged.name),
      target: bareName(target.name),
    })
    if (!(await ask({ title: t('Info'), content, okText: t('Confirm') }))) return
    try {
      await api.put(`${NODES}${target.meta.data.id}/children/add/`, { nodes: [dragged.meta.data.id] })
      setChildren((now) => now.filter(({ id }) => id !== dragged.id))
    } finally {
      setLoaded(new Set([...loaded, target.id]))
      await loadChildren(target.id)
      await refresh()
    }
  }
  return (
    <div className="node-tree">
      <div className="tree-head">
        {/* The menu of the right mouse button, for the keyboard and for screens without a mouse. */}
        {writable && (
          <Dropdown trigger={['click']} autoFocus disabled={!selected || !mayChange(selected)} menu={menuFor(selected)}>
            <button
              type="button"
              className="icon-button"
              disabled={!selected || !mayChange(selected)}
              aria-label={t('Actions of the chosen node')}
              title={selected ? t('Actions of the chosen node') : t('Choose a node first')}
            >
              <MoreOutlined />
            </button>
          </Dropdown>
        )}
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
      <Dropdown
        trigger={['contextMenu']}
        open={menuOf !== undefined}
        onOpenChange={(shown) => shown || setMenuOf(undefined)}
        menu={menuFor(menuOf)}
      >
        <div>
          <Tree<TreeNode>
            blockNode
            treeData={nodes}
            expandedKeys={open}
            selectedKeys={selected ? [selected.id] : []}
            draggable={writable ? { icon: false, nodeDraggable: (node) => (node as TreeNode).item?.pId !== '' } : false}
            titleRender={({ item }) =>
              renaming === item.meta.data.id ? (
                <Input
                  size="small"
                  autoFocus
                  aria-label={t('Name')}
                  defaultValue={bareName(item.name)}
                  onFocus={(event) => {
                    // The tree would take the focus for its own and scroll to a row that is being
                    // redrawn.
                    event.stopPropagation()
                    event.target.select()
                  }}
                  onClick={(event) => event.stopPropagation()}
                  onKeyDown={(event) => {
                    if (event.key === 'Escape') setRenaming(undefined)
                  }}
                  onPressEnter={(event) => event.currentTarget.blur()}
                  onBlur={(event) => void rename(item, event.target.value).catch(() => {})}
                />
              ) : (
                <span title={item.title}>{item.name}</span>
              )
            }
            loadData={({ key, item }) =>
              loaded.has(String(key)) || items.some(({ pId }) => pId === item.id)
                ? Promise.resolve()
                : loadChildren(String(key))
            }
            onExpand={(next) => setExpanded(next.map(String))}
            onSelect={(_, { node, selected: on }) => {
              const id = on ? node.item.meta.data.id : ''
              setQuery(node.item.meta.type === 'asset' ? { asset_id: id, node_id: '' } : { node_id: id, asset_id: '' })
            }}
            onRightClick={({ node }) => setMenuOf(mayChange(node.item) ? node.item : undefined)}
            onDrop={({ dragNode, node }) => void move(dragNode.item, node.item).catch(() => {})}
          />
        </div>
      </Dropdown>
      {top.data?.length === 0 && <span className="nothing">{t('Empty')}</span>}
    </div>
  )
}
