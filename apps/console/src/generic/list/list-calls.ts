/**
 * The calls of a list page. They follow from the page's declaration and its address
 * alone, so it can be asked before the page is drawn.
 */
import { queryOptions } from '@tanstack/react-query'
import { api, type Query } from '../../lib/api.ts'
import { keys, queryClient } from '../../lib/query.ts'
import { session } from '../../session/session.ts'
import { type ListState, readListState } from '../rows/list-state.ts'
import { asListPage, pagedQuery, sizesOf } from '../rows/paging.ts'
import type { ResourcePages } from '../view/define-pages.ts'
import type { ListView } from '../view/list-view.ts'
import { metadataQuery } from '../view/metadata.ts'
import { type SavedView, viewsInCopy } from './saved-views.ts'
import { usualSize } from './use-list-state.ts'

/** Keys of the address that are never filters. */
const OWN_KEYS = ['page', 'size', 'order', 'search', 'oid', 'activeTab']
/** Rows that came while the page was being made are not read again when it is drawn. */
const FRESH_MS = 2000

/** Until the metadata says which keys of the address are filters, any might be one. */
export function possibleFilters({ treeKeys = [] }: ListView, address: URLSearchParams): string[] {
  return [...address.keys()].filter((name) => !OWN_KEYS.includes(name) && !treeKeys.includes(name))
}

/** The filter of the tree at the left. */
export function treeQueryOf({ treeKeys = [] }: ListView, address: URLSearchParams): Query {
  return Object.fromEntries(treeKeys.flatMap((key) => (address.get(key) ? [[key, address.get(key)]] : [])))
}

/**
 * The query of the list call, and the part of it that is the page's own, whatever a person chooses.
 */
export function sentQuery(
  view: ListView,
  state: ListState,
  { treeQuery, query }: { treeQuery: Query; query?: Query | undefined },
): { fixed: Query; sent: Query } {
  const fixed = { ...(typeof view.query === 'function' ? view.query() : view.query), ...query }
  return { fixed, sent: { ...pagedQuery(state, view.paging ?? 'offset'), ...fixed, ...treeQuery } }
}

/** How rows are asked for. */
export function rowsQuery(path: string, sent: Query) {
  return queryOptions({
    queryKey: keys.list(path, sent),
    queryFn: async ({ signal }) => asListPage(await api.get(path, { query: sent, signal, quiet: true })),
    refetchOnMount: ({ state }) => state.isInvalidated || Date.now() - state.dataUpdatedAt > FRESH_MS,
  })
}

/** The view that a list at this path opens with. */
const isFirstOf = (path: string) => (view: SavedView) => view.is_default && view.list.endsWith(`_${path}`)

/** Asks for what the list page at an address shows first, while it is being drawn. */
export function askForList({ definition: { path }, list: view = { columns: [] } }: ResourcePages): void {
  const address = new URLSearchParams(location.search)
  const paging = view.paging ?? 'offset'
  const named = readListState(address, possibleFilters(view, address), {
    size: usualSize(paging),
    sizes: sizesOf(paging),
    order: view.defaultOrder ?? '',
  })
  const first = address.size === 0 ? viewsInCopy(session().profile.username)?.find(isFirstOf(path)) : undefined
  const state = first ? { ...named, search: first.search, filters: first.filters, order: first.order } : named
  void queryClient.prefetchQuery(metadataQuery(path))
  void queryClient.prefetchQuery(
    rowsQuery(path, sentQuery(view, state, { treeQuery: treeQueryOf(view, address) }).sent),
  )
}
