import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError, api } from '../../lib/api.ts'
import {
  type AssetTree,
  EMPTY_TREE,
  FAVORITE_KEY,
  TOP,
  type TreeItem,
  wholeTree,
  withChildren,
  withLoading,
  withOpen,
} from './asset-tree.ts'

const CHILDREN_PATH = '/api/v1/perms/users/nodes/children-with-assets/tree/'
const WHOLE_PATH = '/api/v1/perms/users/nodes-with-assets/tree/'
const SEARCH_PATH = '/api/v1/perms/users/assets/tree/'
const RETRIES = 10
const RETRY_MS = 10_000
/** A right click on the root of a large company must not read ten thousand folders. */
const MAX_FOLDERS_AT_ONCE = 100

/** Asks again while the server is still building the tree. */
async function readTree(path: string, query: Record<string, string | number | undefined>): Promise<TreeItem[]> {
  for (let left = RETRIES; ; left--) {
    try {
      return await api.get<TreeItem[]>(path, { query, quiet: true })
    } catch (error) {
      if (left === 0 || !(error instanceof ApiError) || error.status !== 409) throw error
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

/** Granted assets whose name, address or note holds the text. */
export function searchAssets(search: string): Promise<TreeItem[]> {
  return api.get<TreeItem[]>(SEARCH_PATH, { query: { search }, quiet: true })
}

/** One granted asset, or undefined when it is not granted or gone. */
export async function findAsset(id: string): Promise<TreeItem | undefined> {
  return (await api.get<TreeItem[]>(SEARCH_PATH, { query: { id }, quiet: true })).find((item) => item.id === id)
}

/** The tree of granted assets, read folder by folder or at once. Failures go to `onError`. */
export function useAssetTree(lazy: boolean, onError: (error: unknown) => void) {
  const [tree, setTree] = useState<AssetTree>(EMPTY_TREE)
  const latest = useRef(tree)
  const change = useCallback((next: (tree: AssetTree) => AssetTree) => {
    latest.current = next(latest.current)
    setTree(latest.current)
  }, [])

  /** Reads what is in a folder, and in those inside it that are open from the start. */
  const load = useCallback(
    async (key: string, rebuild = false): Promise<void> => {
      change((now) => withLoading(now, key, true))
      try {
        const query = { rebuild_tree: rebuild ? 1 : undefined }
        const items = await readTree(lazy ? CHILDREN_PATH : WHOLE_PATH, lazy ? { ...query, key } : query)
        if (!lazy) {
          change((now) => wholeTree(items, now.open))
          return
        }
        change((now) => withChildren(now, key, items))
        for (const item of items)
          if (item.open && item.isParent) {
            change((now) => withOpen(now, item.id, true))
            if (!latest.current.children.has(item.id)) await load(item.id)
          }
      } catch (error) {
        change((now) => withLoading(now, key, false))
        onError(error)
      }
    },
    [change, lazy, onError],
  )

  useEffect(() => {
    void load(TOP)
  }, [load])

  const open = useCallback(
    async (key: string): Promise<void> => {
      change((now) => withOpen(now, key, true))
      if (!latest.current.children.has(key)) await load(key)
    },
    [change, load],
  )
  const close = useCallback((key: string) => change((now) => withOpen(now, key, false)), [change])

  /** Opens everything below a folder, reading as it goes, or closes it when it is open. */
  const toggleBelow = useCallback(
    async (key: string): Promise<void> => {
      const opening = !latest.current.open.has(key)
      const queue = [key]
      for (let at = 0; at < queue.length && at < MAX_FOLDERS_AT_ONCE; at++) {
        const folder = queue[at] as string
        if (opening) await open(folder)
        else close(folder)
        for (const item of latest.current.children.get(folder) ?? []) if (item.isParent) queue.push(item.id)
      }
    },
    [close, open],
  )

  /** Reads the tree again; what was open stays open. */
  const refresh = useCallback(async (): Promise<void> => {
    const wasOpen = [...latest.current.open]
    await load(TOP, true)
    if (lazy) for (const key of wasOpen) if (latest.current.children.has(key)) await load(key)
  }, [lazy, load])

  /** Reads the favorites once they are known. */
  const refreshFavorites = useCallback(async (): Promise<void> => {
    if (!lazy) await load(TOP)
    else if (latest.current.children.has(FAVORITE_KEY)) await load(FAVORITE_KEY)
  }, [lazy, load])

  return { tree, open, close, toggleBelow, refresh, refreshFavorites }
}
