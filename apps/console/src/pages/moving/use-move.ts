import { MOVE_PATH, type MoveReport, type MoveRun } from '@sallyport/contract/resources/moving/jumpserver-move.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { showError } from '../../design/dialogs/feedback.tsx'
import { api, download, errorText } from '../../lib/api.ts'
import { keys, queryClient } from '../../lib/query.ts'
import { saveFile } from '../../lib/save-file.ts'

/** While a run goes on, its parts come one after the other. */
const POLL_MS = 1_000
/** Somebody else may begin one. */
const QUIET_POLL_MS = 30_000

const KEY = keys.list(MOVE_PATH, {})

export const useMoves = () =>
  useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.get<MoveReport>(MOVE_PATH, { signal, quiet: true }),
    refetchInterval: ({ state }) => (state.data?.current ? POLL_MS : QUIET_POLL_MS),
  })

const onSuccess = (report: MoveReport) => queryClient.setQueryData(KEY, report)
const onError = () => queryClient.invalidateQueries({ queryKey: KEY })

/** Begins a run on the node that answers. The refusal of a field is its caller's to show. */
export async function beginMove(body: Readonly<Record<string, unknown>>): Promise<void> {
  try {
    onSuccess(await api.post<MoveReport>(`${MOVE_PATH}run/`, body, { quiet: true }))
  } catch (error) {
    await onError()
    throw error
  }
}

export const useStop = () =>
  useMutation({ mutationFn: () => api.post<MoveReport>(`${MOVE_PATH}stop/`), onSuccess, onError })

/** Hands a file of a run to the browser. */
export async function saveRunFile({ id }: MoveRun, file: 'report' | 'differences'): Promise<void> {
  try {
    const { blob } = await download(`${MOVE_PATH}runs/${id}/${file}/`, { quiet: true })
    saveFile(blob, file === 'report' ? 'import-jumpserver.txt' : 'import-jumpserver-rights.txt')
  } catch (error) {
    showError(errorText(error))
  }
}
