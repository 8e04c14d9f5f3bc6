import { confirmDanger, showError, showSuccess } from '../../design/feedback.tsx'
import { answerText, api, errorText, type Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { selectionReference } from './selection-reference.ts'

/**
 * Asks, deletes the row, says so (B8.20), in the words of the answer where it has some. A
 * failure is reported with its reason and leaves everything as it was (A4.29 B8.11).
 */
export function deleteRow(path: string, row: Row, title: string, done: () => unknown): void {
  confirmDanger({
    content: t('Delete "{{name}}"? This cannot be undone.', { name: title }),
    okText: t('Delete@@confirm'),
    cancelText: t('Cancel@@confirm'),
    onOk: async () => {
      let answer: unknown
      try {
        answer = await api.delete(`${path}${encodeURIComponent(row.id)}/`, { quiet: true })
      } catch (error) {
        showError(`${t('Delete failed')}: ${errorText(error)}`)
        return
      }
      showSuccess(answerText(answer) ?? t('Deleted@@row'))
      await done()
      await forget(path)
    },
  })
}

/** Asks with the number of rows, then deletes them by one call (B7.37 B8.10). */
export function deleteRows(path: string, ids: readonly string[], done: () => unknown): void {
  confirmDanger({
    content: t(
      ids.length === 1
        ? 'Delete the selected row? This cannot be undone.'
        : 'Delete {{count}} selected rows? This cannot be undone.',
      { count: ids.length },
    ),
    okText: t('Delete'),
    onOk: async () => {
      let answer: unknown
      try {
        answer = await api.delete(path, { query: { spm: await selectionReference(ids) }, quiet: true })
      } catch (error) {
        showError(`${t('Bulk delete failed')}: ${errorText(error)}`)
        return
      }
      showSuccess(answerText(answer) ?? t('Deleted'))
      await done()
      await forget(path)
    },
  })
}
