import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { api, type Row } from '../../lib/api.ts'
import { keys } from '../../lib/query.ts'

export const PROFILE_PATH = '/api/v1/users/profile/'

/** The signed-in person, read again: the session's copy is as old as the page. */
export function useOwnProfile(): UseQueryResult<Row> {
  return useQuery({
    queryKey: keys.one(PROFILE_PATH, 'me'),
    queryFn: ({ signal }) => api.get<Row>(PROFILE_PATH, { signal }),
  })
}
