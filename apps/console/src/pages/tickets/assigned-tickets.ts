import { useQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/query.ts'
import { addressOf } from '../../navigation/routes.ts'
import { session } from '../../session/session.ts'

const PATH = '/api/v1/tickets/tickets/'
const REFRESH_MS = 60_000

/**
 * How many open tickets wait for this person's word; none for people without tickets (B7.25
 * B7.26).
 */
export function useAssignedTickets(): number {
  const query = { assignees__id: session().profile.id, status: 'open', offset: 0, limit: 15, display: 1, draw: 1 }
  const assigned = useQuery({
    queryKey: keys.list(PATH, query),
    queryFn: ({ signal }) => api.get<{ count: number }>(PATH, { query, signal, quiet: true }),
    enabled: addressOf('TicketList') !== undefined,
    refetchInterval: REFRESH_MS,
  })
  return assigned.data?.count ?? 0
}
