import { showSuccess } from '../design/dialogs/feedback.tsx'
import type { BulkAction } from '../generic/view/actions.ts'
import { api } from '../lib/api.ts'
import { msg, t } from '../lib/i18n.ts'

/** Disable and Activate for the ticked rows of a resource with `is_active`. */
export function bulkActive(path: string): BulkAction[] {
  const action = (name: string, title: string, is_active: boolean): BulkAction => ({
    name,
    title,
    run: async (ids, _rows, { refresh }) => {
      await api.patch(
        path,
        ids.map((id) => ({ id, is_active })),
      )
      showSuccess(t('Saved'))
      await refresh()
    },
  })
  return [action('disable', msg('Disable'), false), action('activate', msg('Activate'), true)]
}
