import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { api, type Query, type Row } from '../../lib/api.ts'
import { lastPage, listQuery } from '../rows/list-state.ts'
import { asListPage } from '../rows/paging.ts'
import type { ListView } from '../view/list-view.ts'
import { NO_FIELDS, useMetadata } from '../view/metadata.ts'
import { possibleFilters, rowsQuery, sentQuery, treeQueryOf } from './list-calls.ts'
import { searchFields } from './search-fields.ts'
import { useListState } from './use-list-state.ts'

export const NO_ROWS: readonly Row[] = []
interface ListedRowsOptions {
  view: ListView
  path: string
  inAddress: boolean
  /** Sent with every list call, besides the view's own. */
  query: Query | undefined
}

/**
 * The rows of a list and how they are asked for: metadata of the address, search, filters, order and
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
  // Filter keys are known only when the metadata is there, and the list call must not wait for it.
  const filterNames = metadata.data
    ? offered.map(({ name }) => name).filter((name) => !view.treeKeys?.includes(name))
    : inAddress
      ? possibleFilters(view, address)
      : Object.keys(view.initialFilters ?? {})
  const [state, setState] = useListState(
    filterNames,
    view.defaultOrder ?? '',
    inAddress,
    view.paging,
    view.initialFilters,
  )
  const treeQuery = inAddress ? treeQueryOf(view, address) : {}
  const { fixed, sent } = sentQuery(view, state, { treeQuery, query })
  const list = useQuery({
    ...rowsQuery(path, sent),
    placeholderData: keepPreviousData,
    refetchInterval: view.refetchInterval ?? false,
  })
  // Rows from before a failure may no longer exist (B8.17).
  const rows = (!list.isError && list.data?.results) || NO_ROWS
  const count = list.isError ? 0 : list.data?.count
  const [seen] = useState(() => new Map<string, Row>())
  for (const row of rows) seen.set(row.id, row)
  // The last rows of the last page went away: step back to the page that is now the last (A4.29).
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
    /** The query beside page, size and order: the page's own part, and the person's. */
    queries: { fixed, chosen: { ...listQuery(state), ...treeQuery } },
  }
}

export type ListedRows = ReturnType<typeof useListedRows>
