import { openDialog, showError } from '../../design/dialogs/feedback.tsx'
import { ApiError, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { sendUndo } from './send-undo.ts'
import { UndoDialog } from './UndoDialog.tsx'

/** From the message after a change: at once, unless something has changed since. */
export async function takeBack(id: string): Promise<void> {
  try {
    await sendUndo(id, {})
  } catch (error) {
    if (error instanceof ApiError && error.status === 409 && isAnswer(error.body)) showUndo({ id })
    else showError(`${t('Undo failed')}: ${errorText(error)}`)
  }
}

const isAnswer = (body: unknown) => typeof body === 'object' && body !== null && 'objects' in body

/** Shows what taking back would do, side by side with what is there now, and asks. */
export function showUndo(what: { id: string; whole?: string | null }): void {
  openDialog({ title: t('Undo'), width: 720, content: (close) => <UndoDialog {...what} onClose={close} /> })
}
