import { type MouseEvent, useCallback, useEffect, useMemo, useState } from 'react'
import { type MenuItem, useMenu } from '../../design/popups/menu.tsx'
import { t } from '../../lib/i18n.ts'
import { DATABASE_PROTOCOLS } from '../text-protocols.ts'
import { AssetTreeView } from './AssetTreeView.tsx'
import { readApplications, searchedApplications } from './application-tree.ts'
import {
  EMPTY_TREE,
  TOP,
  type TreeItem,
  type TreeRow,
  treeRows,
  withChildren,
  withLoading,
  withOpen,
} from './asset-tree.ts'
import { clusterViews, hasResources, inCluster, isConnectable, readClusterLevel } from './cluster-tree.ts'
import { TreeTitle } from './TreeTitle.tsx'

export interface ApplicationTreeProps {
  /** Only what it finds is shown. */
  search: string
  onConnect: (item: TreeItem) => void
  /** Connects after asking, whatever was remembered. */
  onConnectAsking: (item: TreeItem) => void
  /** Opens the workbench of a database, or the objects of a cluster. */
  onWorkbench?: ((item: TreeItem) => void) | undefined
  /** Opens the shell of a cluster with a line that looks at something in it. */
  onClusterView?: ((item: TreeItem, line: string) => void) | undefined
  onError: (error: unknown) => void
  /** Whether there are none, once that is known. */
  onEmpty: (isEmpty: boolean) => void
}

/** The tree of granted applications; nothing where there are none. */
export function ApplicationTree(props: ApplicationTreeProps) {
  const { search, onConnect, onConnectAsking, onWorkbench, onClusterView, onError, onEmpty } = props
  const [tree, setTree] = useState(EMPTY_TREE)
  const [menuItem, setMenuItem] = useState<TreeItem>()
  const refresh = useCallback(
    (open: ReadonlySet<string>) =>
      readApplications(open).then((read) => {
        setTree(read)
        onEmpty(!read.children.get(TOP)?.length)
      }, onError),
    [onError, onEmpty],
  )
  useEffect(() => {
    void refresh(new Set())
  }, [refresh])
  const isSearching = search.trim() !== ''
  const rows = useMemo(
    () => treeRows(isSearching ? searchedApplications(tree, search) : tree),
    [tree, search, isSearching],
  )
  const setOpen = (key: string, isOpen: boolean) => setTree((now) => withOpen(now, key, isOpen))
  const open = async (key: string) => {
    const item = rows.find((row) => row.item.id === key)?.item
    if (!item || !inCluster(item) || tree.children.has(key)) return setOpen(key, true)
    setTree((now) => withLoading(now, key, true))
    try {
      const items = await readClusterLevel(item)
      setTree((now) => withOpen(withChildren(now, key, items), key, true))
    } catch (error) {
      setTree((now) => withLoading(now, key, false))
      onError(error)
    }
  }
  const handleMenu = (row: TreeRow | undefined, event: MouseEvent<HTMLElement>) => {
    const hasMenu =
      row && (!row.item.isParent || isConnectable(row.item) || hasViews(row.item) || hasResources(row.item))
    if (!hasMenu) return event.preventDefault()
    setMenuItem(row.item)
    openAtPointer(event)
  }
  const choose = (key: string) => {
    if (!menuItem) return
    if (key === 'connect') onConnectAsking(menuItem)
    else if (key === 'workbench') onWorkbench?.(menuItem)
    else if (key !== 'window') onClusterView?.(menuItem, key)
    else
      window.open(`/luna/connect?login_to=${encodeURIComponent(menuItem.id)}&type=database_app`, '_blank', 'noopener')
  }
  const { popup, openAtPointer } = useMenu({
    items: menuItem ? menuOf(menuItem, onWorkbench !== undefined) : [],
    onChoose: choose,
  })
  if (!tree.children.get(TOP)?.length) return null
  return (
    <>
      <TreeTitle
        title={t('My applications')}
        refreshName={t('Reload the applications')}
        onRefresh={() => void refresh(tree.open)}
      />
      <div className="wt-tree-box wt-applications">
        <AssetTreeView
          rows={rows}
          label={t('My applications')}
          onOpen={(key) => void open(key)}
          onClose={(key) => setOpen(key, false)}
          onChoose={onConnect}
          onMenu={handleMenu}
        />
        {isSearching && rows.length === 0 && <p className="wt-empty">{t('Nothing matches')}</p>}
      </div>
      {popup}
    </>
  )
}

function menuOf(item: TreeItem, mayBrowse: boolean): MenuItem[] {
  return [
    ...(!inCluster(item) || isConnectable(item) ? [{ key: 'connect', label: t('Connect') }] : []),
    ...(mayBrowse && hasResources(item) ? [{ key: 'workbench', label: t('Browse the resources') }] : []),
    ...clusterViews(item).map(({ title, line }) => ({ key: line, label: t(title) })),
    ...(mayBrowse && hasWorkbench(item) ? [{ key: 'workbench', label: t('Open the workbench') }] : []),
    ...(inCluster(item) ? [] : [{ key: 'window', label: t('Open in new window') }]),
  ]
}

const hasViews = (item: TreeItem) => clusterViews(item).length > 0
const hasWorkbench = ({ meta }: TreeItem) => DATABASE_PROTOCOLS.includes(meta.data.type ?? '')
