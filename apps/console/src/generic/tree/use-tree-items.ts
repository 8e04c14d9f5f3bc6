import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { showError } from '../../design/dialogs/feedback.tsx'
import { api, errorText, type Query } from '../../lib/api.ts'
import { keys, queryClient } from '../../lib/query.ts'
import { type TreeItem, treeRows } from './node-items.ts'

const NONE: Query = {}
/** A branch that was read just now is not read again by the line that shows it. */
const FRESH_MS = 2_000

interface Unfolded {
  /** Ids of open items; those that the server opens until a person opens or folds one. */
  open: readonly string[] | undefined
  /** Ids of the items whose children were asked for. */
  read: readonly string[]
}

/**
 * The items of a tree that the server tells branch by branch: `path` answers the top, and with
 * `key` what lies below an item. What is open stays so while a person is on another page.
 * @param query sent with every call
 */
export function useTreeItems(path: string, query = NONE) {
  const placeOfState = [path, 'unfolded', query]
  const [{ open: unfolded, read }, setState] = useState<Unfolded>(
    () => queryClient.getQueryData(placeOfState) ?? { open: undefined, read: [] },
  )
  const change = (next: (now: Unfolded) => Unfolded) =>
    setState((now) => queryClient.setQueryData<Unfolded>(placeOfState, next(now)) ?? now)
  const top = useQuery({
    queryKey: keys.list(path, query),
    queryFn: ({ signal }) => api.get<TreeItem[]>(path, { query, signal, quiet: true }),
  })
  const branch = (key: string) => ({
    queryKey: keys.list(path, { ...query, key }),
    queryFn: () => api.get<TreeItem[]>(path, { query: { ...query, key }, quiet: true }),
  })
  const branches = useQueries({
    queries: read.map((key) => ({ ...branch(key), staleTime: FRESH_MS })),
    // A branch that went away is not there any more.
    combine: (results) => ({
      children: results.flatMap(({ data, isError }) => (isError ? [] : (data ?? []))),
      loaded: new Set(read.filter((_, at) => results[at]?.isSuccess)),
      reading: new Set(read.filter((_, at) => results[at]?.isPending)),
    }),
  })
  const { children, loaded, reading } = branches
  const items = useMemo(
    () => [...new Map([...(top.data ?? []), ...children].map((item) => [item.id, item])).values()],
    [top.data, children],
  )
  const open = useMemo(() => unfolded ?? items.filter((item) => item.open).map(({ id }) => id), [unfolded, items])
  const rows = useMemo(() => treeRows({ top: top.data ?? [], items, open, loaded }), [top.data, items, open, loaded])
  /** Reads what lies below the item of this id, also when it was read before. */
  const load = async (key: string) => {
    change((now) => ({ ...now, read: [...new Set([...now.read, key])] }))
    await queryClient.fetchQuery(branch(key))
  }
  const setOpen = (ids: readonly string[]) => change((now) => ({ ...now, open: [...new Set(ids)] }))
  return {
    top,
    items,
    rows,
    /** Ids of the items whose children are on their way. */
    reading,
    load,
    open,
    setOpen,
    /** Unfolds an item or folds it; what lies below is read when that is wanted first. */
    toggle: async ({ id }: TreeItem) => {
      if (open.includes(id)) return setOpen(open.filter((other) => other !== id))
      setOpen([...open, id])
      if (!items.some(({ pId }) => pId === id)) await load(id).catch((error: unknown) => showError(errorText(error)))
    },
    /** Unfolds all that lies above the node of this key, such as `1:0:2`, and with `itself` the node. */
    openWayTo: async (key: string, { itself }: { itself: boolean }) => {
      const steps = key.split(':')
      const way = steps.map((_, at) => steps.slice(0, at + 1).join(':')).slice(0, itself ? undefined : -1)
      for (const step of way) if (!items.some(({ pId }) => pId === step)) await load(step)
      setOpen([...open, ...way])
    },
    /** Reads again all that was read. */
    refresh: () => queryClient.invalidateQueries({ queryKey: keys.all(path) }),
  }
}

export type TreeItems = ReturnType<typeof useTreeItems>
