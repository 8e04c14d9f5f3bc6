import { DOCTOR_PATH, type Health, type NodeHealth } from '@sallyport/contract/resources/monitor/doctor.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, download } from '../../../lib/api.ts'
import { keys, queryClient } from '../../../lib/query.ts'
import { saveFile } from '../../../lib/save-file.ts'

/** While a check runs, its findings come one after the other. */
const POLL_MS = 1_000

const KEY = keys.list(DOCTOR_PATH, {})

export const isRunning = (nodes: readonly NodeHealth[] | undefined): boolean =>
  nodes?.some(({ state }) => state === 'running') ?? false

export const useHealth = () =>
  useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.get<Health>(DOCTOR_PATH, { signal, quiet: true }),
    refetchInterval: ({ state }) => (isRunning(state.data?.nodes) ? POLL_MS : false),
  })

/** Begins a run on every node; one that goes on is gone on with. */
export const useRun = () =>
  useMutation({
    mutationFn: () => api.post<Health>(`${DOCTOR_PATH}run/`),
    onSuccess: (health) => queryClient.setQueryData(KEY, health),
  })

export const useArchive = () =>
  useMutation({
    mutationFn: async () => {
      const { blob, name } = await download(`${DOCTOR_PATH}archive/`)
      saveFile(blob, name)
    },
    // It runs the check where that has not been done.
    onSuccess: () => queryClient.invalidateQueries({ queryKey: KEY }),
  })
