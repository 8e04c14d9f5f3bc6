import { UNDO_PATH, type UndoAnswer, type UndoRequest } from '@sallyport/contract/resources/audits/undo.ts'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'

const MANY_MS = 5 * 60_000

/**
 * Takes a change back by the id of a row of the log, of a change or of an import; a large one in
 * several calls. @throws ApiError
 */
export async function sendUndo(id: string, body: UndoRequest): Promise<void> {
  for (let left = Number.POSITIVE_INFINITY; left > 0; ) {
    const answer = await api.post<UndoAnswer>(`${UNDO_PATH}${encodeURIComponent(id)}/`, body, {
      quiet: true,
      timeout: MANY_MS,
    })
    if (answer.left >= left) break
    left = answer.left
  }
  // Its own call can be taken back: the message offers that.
  showSuccess(t('Undone'))
  await forget('/api/v1/')
}
