import { CAPACITY_PATH, type CapacityReport } from '@sallyport/contract/resources/monitor/capacity.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api } from '../../../lib/api.ts'
import { keys, queryClient } from '../../../lib/query.ts'

/** While a measurement goes on, its steps come one after the other. */
const POLL_MS = 1_000
/** Somebody else may begin one. */
const QUIET_POLL_MS = 30_000

const KEY = keys.list(CAPACITY_PATH, {})

export const useCapacity = () =>
  useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.get<CapacityReport>(CAPACITY_PATH, { signal, quiet: true }),
    refetchInterval: ({ state }) => (state.data?.current ? POLL_MS : QUIET_POLL_MS),
  })

const onSuccess = (report: CapacityReport) => queryClient.setQueryData(KEY, report)
const onError = () => queryClient.invalidateQueries({ queryKey: KEY })

/** Asks a node to measure itself. */
export const useMeasure = () =>
  useMutation({
    mutationFn: (node: string) => api.post<CapacityReport>(`${CAPACITY_PATH}run/?node=${encodeURIComponent(node)}`),
    onSuccess,
    onError,
  })

export const useStop = () =>
  useMutation({ mutationFn: () => api.post<CapacityReport>(`${CAPACITY_PATH}cancel/`), onSuccess, onError })
