import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { api, type Query, type Row } from '../../lib/api.ts'
import { keys } from '../../lib/query.ts'
import { lastPage, listQuery } from '../rows/list-state.ts'
import { asListPage, pagedQuery } from '../rows/paging.ts'
import type { ListView } from '../view/list-view.ts'
import { NO_FIELDS, useMetadata } from '../view/metadata.ts'
import { searchFields } from './search-fields.ts'
import { useListState } from './use-list-state.ts'

export const NO_ROWS: readonly Row[] = []
/** Keys of the address that are never filters. */
const OWN_KEYS = ['page', 'size', 'order', 'search', 'oid', 'activeTab']

interface ListedRowsOptions {
  view: ListView
  path: string
  inAddress: boolean
  /** Sent with every list call, besides the view's own. */
  query: Query | undefined
}

/**
 * What a list shows and how it is asked for: metadata of the address, search, filters, order and
 * page as they stand, and the rows that they lead to.
 */
export function useListedRows({ view, path, inAddress, query }: ListedRowsOptions) {
  const [address] = useSearchParams()
  const metadata = useMetadata(path)
  const fields = metadata.data?.actions.GET ?? NO_FIELDS
  const offered = useMemo(
    () => (view.hasSearch === false ? [] : searchFields(fields, view.hideSearch, view.searchOptions)),
    [fields, view],
  )
  // Filter keys are known only when the metadata is there; until then every key of the address
  // might be one, and the list call must not wait for it.
  const possible = inAddress
    ? [...address.keys()].filter((name) => !OWN_KEYS.includes(name))
    : Object.keys(view.initialFilters ?? {})
  const filterNames = metadata.data ? offered.map(({ name }) => name) : possible
  const treeKeys = view.treeKeys ?? []
  const [state, setState] = useListState(
    filterNames.filter((name) => !treeKeys.includes(name)),
    view.defaultOrder ?? '',
    inAddress,
    view.paging,
    view.initialFilters,
  )
  const treeQuery = inAddress
    ? Object.fromEntries(treeKeys.flatMap((key) => (address.get(key) ? [[key, address.get(key)]] : [])))
    : {}
  const fixed = { ...(typeof view.query === 'function' ? view.query() : view.query), ...query }
  const sent = { ...pagedQuery(state, view.paging ?? 'offset'), ...fixed, ...treeQuery }
  const list = useQuery({
    queryKey: keys.list(path, sent),
    queryFn: async ({ signal }) => asListPage(await api.get(path, { query: sent, signal, quiet: true })),
    placeholderData: keepPreviousData,
    refetchInterval: view.refetchInterval ?? false,
  })
  const rows = list.data?.results ?? NO_ROWS
  const count = list.data?.count
  const [seen] = useState(() => new Map<string, Row>())
  for (const row of rows) seen.set(row.id, row)
  // The last rows of the last page went away: step back to the page that is now the last (spec
  // A4.29).
  const beyond = list.isSuccess && !list.isPlaceholderData && rows.length === 0 && state.page > 1
  useEffect(() => {
    if (beyond) setState({ ...state, page: lastPage(count ?? 0, state.size) }, 'replace')
  })
  /** Ids of the rows that search and filters leave, of all pages, `most` at most. */
  const readIds = async (most: number): Promise<string[]> => {
    const query = { ...sent, offset: 0, limit: most, fields_size: 'mini' }
    return asListPage(await api.get(path, { query })).results.map(({ id }) => id)
  }
  return {
    path,
    metadata,
    fields,
    /** Filters that are offered. */
    offered,
    state,
    setState,
    list,
    rows,
    /** How many rows there are on all pages; undefined until it is known. */
    count,
    readIds,
    canReadIds: inAddress && (view.paging ?? 'offset') === 'offset',
    /** Every row that was shown, by its id: also those of other pages that are still selected. */
    seen,
    /** What is sent beside page, size and order: the page's own, and what a person chose. */
    queries: { fixed, chosen: { ...listQuery(state), ...treeQuery } },
  }
}

export type ListedRows = ReturnType<typeof useListedRows>
