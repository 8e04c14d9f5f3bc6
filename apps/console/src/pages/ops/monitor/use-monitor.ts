import { MONITOR_PATH, type QueueFigures } from '@sallyport/contract/resources/ops/task-monitor.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, type Query } from '../../../lib/api.ts'
import { keys } from '../../../lib/query.ts'

const POLL_MS = 5000

/** A part of the monitor, read again while somebody looks at it. */
export function useMonitor<T>(part: string, query: Query = {}) {
  const path = `${MONITOR_PATH}${part}/`
  return useQuery({
    queryKey: keys.list(path, query),
    queryFn: ({ signal }) => api.get<T>(path, { query, signal, quiet: true }),
    refetchInterval: POLL_MS,
    placeholderData: keepPreviousData,
  })
}

export const useQueues = () => useMonitor<QueueFigures[]>('queues')
