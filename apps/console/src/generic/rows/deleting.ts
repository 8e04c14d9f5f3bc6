import { confirmDanger, showError, showSuccess } from '../../design/dialogs/feedback.tsx'
import { answerText, api, errorText, type Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { deletionContent } from './DeletionEnds.tsx'
import { selectionReference } from './selection-reference.ts'

/** Where rows lie: their resource by name, and the address of their list. */
interface Place {
  resource: string
  path: string
  /** Whether the rows decide who may do what, so that the question says what their deletion changes. */
  bearsRights?: boolean | undefined
}

/**
 * Asks, deletes the row, says so (B8.20), in the words of the answer where it has some. A
 * failure is reported with its reason and leaves everything as it was (A4.29 B8.11).
 */
export function deleteRow({ resource, path, bearsRights }: Place, row: Row, title: string, done: () => unknown): void {
  confirmDanger({
    title: t('Delete "{{name}}"?', { name: title }),
    content: deletionContent({ resource, ids: [row.id], rights: bearsRights ? path : undefined }),
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

/**
 * Asks with the number of rows and the names of those that were seen, then deletes them by one call
 * (B7.37 B8.10).
 */
export function deleteRows(
  { resource, path, bearsRights }: Place,
  ids: readonly string[],
  names: readonly string[],
  done: () => unknown,
): void {
  confirmDanger({
    title:
      ids.length === 1 && names[0] !== undefined
        ? t('Delete "{{name}}"?', { name: names[0] })
        : t('Delete {{count|row|rows}}?', { count: ids.length }),
    content: deletionContent({
      resource,
      ids,
      names: ids.length === 1 ? [] : names,
      rights: bearsRights ? path : undefined,
    }),
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
