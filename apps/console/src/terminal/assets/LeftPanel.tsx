import { COMPATIBILITY_VERSION, PRODUCT_VERSION, WIRE } from '@sallyport/contract/constants.ts'
import { type MouseEvent, useCallback, useEffect, useMemo, useState } from 'react'
import { showError, showSuccess } from '../../design/dialogs/feedback.tsx'
import { SearchInput } from '../../design/inputs/SearchInput.tsx'
import { type MenuItem, useMenu } from '../../design/popups/menu.tsx'
import { errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { ApplicationTree } from './ApplicationTree.tsx'
import { AssetTreeView } from './AssetTreeView.tsx'
import {
  type AssetTree,
  EMPTY_TREE,
  findAssets,
  isWithoutGrants,
  searchTree,
  TOP,
  type TreeItem,
  type TreeRow,
  treeRows,
  withOpen,
} from './asset-tree.ts'
import { addFavorite, readFavorites, removeFavorite } from './favorites.ts'
import { TreeTitle } from './TreeTitle.tsx'
import { searchAssets, useAssetTree } from './use-asset-tree.ts'

const SEARCH_DELAY_MS = 400

export interface LeftPanelProps {
  /** Folders are read when they are opened. */
  lazy: boolean
  onConnect: (item: TreeItem) => void
  /** Connects after asking, whatever was remembered. */
  onConnectAsking: (item: TreeItem) => void
  /** Opens the workbench of a database, or the objects of a cluster. */
  onWorkbench?: (item: TreeItem) => void
  /** Opens the shell of a cluster with a line that looks at something in it. */
  onClusterView?: (item: TreeItem, line: string) => void
  /** Whether there is nothing at all to connect to, once that is known. */
  onWithoutGrants?: (isWithout: boolean) => void
}

const reportError = (error: unknown) => showError(errorText(error))

/** Results of the search, as a tree of its own; undefined while nothing is searched for. */
function useSearch(lazy: boolean, tree: AssetTree) {
  const [text, setText] = useState('')
  const [found, setFound] = useState<AssetTree>()
  useEffect(() => {
    const wanted = text.trim()
    // A tree that has not come yet holds nothing that could be found.
    if (wanted === '' || !(lazy || tree.children.has(TOP))) {
      setFound(undefined)
      return
    }
    let current = true
    const timer = setTimeout(async () => {
      try {
        const items = lazy ? await searchAssets(wanted) : findAssets(tree, wanted)
        if (current) setFound(searchTree(items, t('Search')))
      } catch (error) {
        if (current) reportError(error)
      }
    }, SEARCH_DELAY_MS)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [text, lazy, tree])
  const setFoundOpen = useCallback(
    (key: string, isOpen: boolean) => setFound((now) => withOpen(now ?? EMPTY_TREE, key, isOpen)),
    [],
  )
  return { text, setText, found, setFoundOpen }
}

/** The favorites, and a way to add or take one; `onChanged` runs then. */
function useFavorites(onChanged: () => Promise<void>) {
  const [favorites, setFavorites] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    readFavorites().then(setFavorites, reportError)
  }, [])
  const star = async (item: TreeItem, on: boolean) => {
    const show = (isStarred: boolean) =>
      setFavorites((now) => new Set(isStarred ? [...now, item.id] : [...now].filter((id) => id !== item.id)))
    // At once; a refusal takes it back.
    show(on)
    try {
      await (on ? addFavorite(item.id) : removeFavorite(item.id)).catch((refusal) => {
        show(!on)
        throw refusal
      })
      showSuccess(on ? t('Added to favorites') : t('Removed from favorites'))
      await onChanged()
    } catch {
      // The client has shown why.
    }
  }
  return { favorites, star }
}

/** Search, the tree of granted assets with its menu, and the version line. */
export function LeftPanel(props: LeftPanelProps) {
  const { lazy, onConnect, onConnectAsking, onWorkbench, onClusterView, onWithoutGrants } = props
  const assets = useAssetTree(lazy, reportError)
  const { text, setText, found, setFoundOpen } = useSearch(lazy, assets.tree)
  const { favorites, star } = useFavorites(assets.refreshFavorites)
  const [menuItem, setMenuItem] = useState<TreeItem>()
  const [isWithoutApplications, setWithoutApplications] = useState(false)
  const isWithoutAssets = isWithoutGrants(assets.tree)
  const isWithout = isWithoutAssets && isWithoutApplications
  useEffect(() => onWithoutGrants?.(isWithout), [isWithout, onWithoutGrants])
  const rows = useMemo(() => treeRows(found ?? assets.tree), [found, assets.tree])

  const handleMenu = (row: TreeRow | undefined, event: MouseEvent<HTMLElement>) => {
    if (row && !row.item.isParent) {
      setMenuItem(row.item)
      openAtPointer(event)
      return
    }
    // Folders have no menu: everything below them opens or closes.
    event.preventDefault()
    if (row && !found) void assets.toggleBelow(row.item.id)
  }
  const choose = (key: string) => {
    if (!menuItem) return
    if (key === 'connect') onConnectAsking(menuItem)
    else if (key === 'files' || key === 'window') openWindow(key, menuItem.id)
    else void star(menuItem, key === 'favorite')
  }
  const { popup, openAtPointer } = useMenu({ items: menuItem ? menuOf(menuItem, favorites) : [], onChoose: choose })
  return (
    <>
      <SearchInput
        className="wt-find"
        placeholder={t('Search')}
        aria-label={t('Search assets')}
        value={text}
        onChange={setText}
      />
      <TreeTitle title={t('My assets')} refreshName={t('Force refresh')} onRefresh={() => void assets.refresh()} />
      <div className="wt-tree-box">
        <AssetTreeView
          rows={rows}
          label={t('My assets')}
          onOpen={found ? (key) => setFoundOpen(key, true) : (key) => void assets.open(key)}
          onClose={found ? (key) => setFoundOpen(key, false) : assets.close}
          onChoose={onConnect}
          onMenu={handleMenu}
        />
        {!found && isWithoutAssets && (
          <p className="wt-empty wt-nothing-granted">
            {t('No assets are granted to you yet. Ask an administrator for access.')}
          </p>
        )}
        {found && found.children.get('search')?.length === 0 && <p className="wt-empty">{t('Nothing matches')}</p>}
      </div>
      {popup}
      <ApplicationTree
        search={text}
        onConnect={onConnect}
        onConnectAsking={onConnectAsking}
        onWorkbench={onWorkbench}
        onClusterView={onClusterView}
        onError={reportError}
        onEmpty={setWithoutApplications}
      />
      <div className="wt-version">
        Sallyport {PRODUCT_VERSION} · {COMPATIBILITY_VERSION}
      </div>
    </>
  )
}

/** The asset's files, or a terminal on it, in a window of its own. */
function openWindow(kind: 'files' | 'window', assetId: string): void {
  const id = encodeURIComponent(assetId)
  const address = kind === 'files' ? `${WIRE.fileManagerBase}${id}/` : `/luna/connect?login_to=${id}&type=asset`
  window.open(address, '_blank', 'noopener')
}

function menuOf(item: TreeItem, favorites: ReadonlySet<string>): MenuItem[] {
  return [
    ...(item.chkDisabled
      ? []
      : [
          { key: 'connect', label: t('Connect') },
          { key: 'window', label: t('Open in new window') },
          ...(item.meta.data.protocols?.some((entry) => entry.startsWith('ssh/'))
            ? [{ key: 'files', label: t('File manager') }]
            : []),
        ]),
    favorites.has(item.id)
      ? { key: 'unfavorite', label: t('Remove from favorites') }
      : { key: 'favorite', label: t('Favorite') },
  ]
}
