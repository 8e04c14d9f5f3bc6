import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api, type Query } from '../../lib/api.ts'
import { keys } from '../../lib/query.ts'
import { buildTree, type TreeItem, type TreeNode } from './node-items.ts'

const NONE: Query = {}

/**
 * The items of a tree that the server tells branch by branch: `path` answers the top, and with
 * `key` what lies below an item.
 * @param query sent with every call
 */
export function useTreeItems(path: string, query = NONE) {
  const [children, setChildren] = useState<readonly TreeItem[]>([])
  const [loaded, setLoaded] = useState<ReadonlySet<string>>(new Set())
  const [expanded, setExpanded] = useState<string[]>()
  const top = useQuery({
    queryKey: keys.list(path, query),
    queryFn: ({ signal }) => api.get<TreeItem[]>(path, { query, signal }),
  })
  const items = useMemo(
    () => [...new Map([...(top.data ?? []), ...children].map((item) => [item.id, item])).values()],
    [top.data, children],
  )
  const nodes = useMemo(() => buildTree(items, loaded), [items, loaded])
  /** Reads what lies below the item of this id, also when it was read before. */
  const load = async (key: string) => {
    const found = await api.get<TreeItem[]>(path, { query: { ...query, key } })
    setChildren((now) => [...now.filter(({ pId }) => pId !== key), ...found])
    setLoaded((now) => new Set([...now, key]))
  }
  return {
    top,
    items,
    nodes,
    loaded,
    load,
    /** Reads a branch that is opened for the first time. */
    loadBranch: ({ key, item }: TreeNode) =>
      loaded.has(String(key)) || items.some(({ pId }) => pId === item.id) ? Promise.resolve() : load(String(key)),
    open: expanded ?? items.filter((item) => item.open).map(({ id }) => id),
    setOpen: (ids: readonly string[]) => setExpanded([...new Set(ids)]),
    remove: (id: string) => setChildren((now) => now.filter((item) => item.id !== id)),
    /** Forgets all branches, and which were open; reads the top again. */
    startAgain: async () => {
      setChildren([])
      setLoaded(new Set())
      setExpanded(undefined)
      await top.refetch()
    },
  }
}

export type TreeItems = ReturnType<typeof useTreeItems>
