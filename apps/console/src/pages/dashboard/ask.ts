import { useQuery } from '@tanstack/react-query'
import { api, type Query } from '../../lib/api.ts'
import { keys } from '../../lib/query.ts'

/** What runs now is asked for again so often. */
export const NOW_MS = 15_000

/** Options of a query that reads the first rows of a list, or figures. */
export const asked = <T>(path: string, query: Query, refetchInterval: number | false = false) => ({
  queryKey: keys.list(path, query),
  queryFn: ({ signal }: { signal: AbortSignal }) => api.get<T>(path, { query, signal, quiet: true }),
  refetchInterval,
})

/** Figures of the overview (docs/rules/dashboard.md#overview). */
export const useFigures = <T>(query: Query, refetchInterval: number | false = false) =>
  useQuery(asked<T>('/api/v1/index/', query, refetchInterval))
