import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api.ts'

/**
 * One client for the whole console. Lists are read anew when a page is entered; metadata is kept
 * until the page is loaded anew.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 0,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: false,
      // A refusal stays a refusal; only a lost connection is worth another try.
      retry: (count, error) => error instanceof ApiError && error.status === 0 && count < 1,
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
  return queryClient.invalidateQueries({
    predicate: ({ queryKey }) =>
      typeof queryKey[0] === 'string' && queryKey[0].startsWith(path) && queryKey[1] !== 'options',
  })
}
