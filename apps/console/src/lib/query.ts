import { onlineManager, QueryClient, type QueryKey } from '@tanstack/react-query'
import { outageOf } from './api.ts'

/**
 * One client for the whole console. Lists are read again when a page is entered; metadata is kept
 * until the page is loaded again.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 0,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: false,
      // A refusal stays a refusal. While the server or its database is away, what was asked for
      // waits until they are back (`app/shell/connection.ts`), and what is shown stays.
      retry: (count, error) => outageOf(error) !== undefined && (count < 1 || !onlineManager.isOnline()),
    },
  },
})

/**
 * Query keys are made here only, so that one call forgets all that concerns a resource. The path
 * tells resources apart.
 */
export const keys = {
  all: (path: string) => [path] as const,
  list: (path: string, query: object) => [path, 'list', query] as const,
  one: (path: string, id: string) => [path, 'one', id] as const,
  options: (path: string) => [path, 'options'] as const,
}

/** After a write: everything read from this path is old, its metadata is not. */
export function forget(path: string): Promise<void> {
  return queryClient.invalidateQueries({ predicate: ({ queryKey }) => concerns(path, queryKey) })
}

/** Whether a key is of rows that are read from this path. */
export const concerns = (path: string, key: QueryKey): boolean =>
  typeof key[0] === 'string' && key[0].startsWith(path) && key[1] !== 'options'
