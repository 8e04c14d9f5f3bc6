import {
  COMPONENT_COUNTS_PATH,
  type ComponentCounts,
  type MonitorAlarm,
  type MonitorHistory,
  type MonitorNow,
  type MonitorRange,
  SYSTEM_MONITOR_PATH,
} from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, type Query } from '../../lib/api.ts'
import { keys } from '../../lib/query.ts'

/** There is something new once a minute. */
const POLL_MS = 30_000

function useAnswer<T>(path: string, query: Query = {}) {
  return useQuery({
    queryKey: keys.list(path, query),
    queryFn: ({ signal }) => api.get<T>(path, { query, signal, quiet: true }),
    refetchInterval: POLL_MS,
    placeholderData: keepPreviousData,
  })
}

export const useMonitorNow = () => useAnswer<MonitorNow>(`${SYSTEM_MONITOR_PATH}now/`)

/** Figures of a node, or without one of the installation. */
export const useHistory = (range: MonitorRange, node?: string) =>
  useAnswer<MonitorHistory>(`${SYSTEM_MONITOR_PATH}history/`, { range, node })

export const usePastAlarms = (limit: number, offset: number) =>
  useAnswer<{ count: number; results: MonitorAlarm[] }>(`${SYSTEM_MONITOR_PATH}alarms/`, { limit, offset })

export const useComponents = () => useAnswer<ComponentCounts[]>(COMPONENT_COUNTS_PATH)
