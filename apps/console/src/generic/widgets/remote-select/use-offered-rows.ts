import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api, type ListPage, type Query, type Row } from '../../../lib/api.ts'
import { useSettled } from '../../../lib/hooks/use-settled.ts'
import { keys } from '../../../lib/query.ts'
import { asListPage } from '../../rows/paging.ts'

const PAGE = 10
/** More rows than this are no choice that a person has looked at. */
export const MAX_AT_ONCE = 1000

/** Rows to choose from, page by page as they are wanted, narrowed by what is typed. */
export function useOfferedRows(path: string, query: Query | undefined) {
  const [typed, setTyped] = useState('')
  const search = useSettled(typed)
  const [open, setOpen] = useState(false)
  const list = useInfiniteQuery({
    queryKey: keys.list(path, { ...query, search, picker: true }),
    queryFn: async ({ pageParam, signal }) =>
      asListPage(
        // Why it fails is said where the rows would be.
        await api.get(path, { query: { ...query, search, offset: pageParam, limit: PAGE }, signal, quiet: true }),
      ),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.next ? pages.length * PAGE : undefined),
    enabled: open,
    staleTime: 10_000,
  })
  const rows = useMemo(() => list.data?.pages.flatMap(({ results }) => results) ?? [], [list.data])
  return {
    typed,
    setTyped,
    /** Nothing is read before the list is opened. */
    setOpen: (next: boolean) => {
      setOpen(next)
      if (!next) setTyped('')
    },
    list,
    /** Reads again what could not be read. */
    readAgain: () => void (list.isFetchNextPageError ? list.fetchNextPage() : list.refetch()),
    rows,
    /** How many there are; 0 for suggestions, which are the first rows only. */
    found: path.includes('/suggestions/') ? 0 : (list.data?.pages.at(-1)?.count ?? 0),
    readMore: () => {
      if (list.hasNextPage && !list.isFetchingNextPage && !list.isError) void list.fetchNextPage()
    },
    /** All rows that match what is typed, MAX_AT_ONCE at most. */
    readAll: async () =>
      (await api.get<ListPage>(path, { query: { ...query, search, offset: 0, limit: MAX_AT_ONCE } })).results,
  }
}

/**
 * Rows by their values: what was listed once keeps its name through other searches; what was chosen
 * before is read by itself, and is not read again for each tick.
 */
export function useKnownRows(valueField: string) {
  const [seen] = useState(() => new Map<string, Row>())
  const [unseen] = useState(() => new Set<string>())
  return {
    seen,
    note: (rows: readonly Row[]) => {
      for (const row of rows) seen.set(String(row[valueField]), row)
    },
    /** Values, among these and those asked for before, that no list has shown. */
    toRead: (values: readonly string[]): string[] => {
      for (const one of values) if (!seen.has(one)) unseen.add(one)
      return [...unseen]
    },
  }
}
