import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { useQuery } from '@tanstack/react-query'
import { api, type ListPage } from '../../lib/api.ts'
import { keys } from '../../lib/query.ts'
import { addressOf } from '../../navigation/routes.ts'
import { session } from '../../session/session.ts'

const PATH = '/api/v1/tickets/tickets/'
const REFRESH_MS = 60_000

/**
 * The open tickets that wait for this person's word: how many, and the newest; none for people
 * without tickets (B7.25 B7.26).
 */
export function useAssignedTickets(): { count: number; newest: readonly Ticket[] } {
  const query = { assignees__id: session().profile.id, status: 'open', offset: 0, limit: 15, display: 1, draw: 1 }
  const assigned = useQuery({
    queryKey: keys.list(PATH, query),
    queryFn: ({ signal }) => api.get<ListPage<Ticket>>(PATH, { query, signal, quiet: true }),
    enabled: addressOf('TicketList') !== undefined,
    refetchInterval: REFRESH_MS,
  })
  return { count: assigned.data?.count ?? 0, newest: assigned.data?.results ?? [] }
}
