import { showSuccess } from '../design/dialogs/feedback.tsx'
import type { QuickAction } from '../generic/view/actions.ts'
import { api } from '../lib/api.ts'
import { msg, t } from '../lib/i18n.ts'

/** The switch on the details of a row that says whether it is active; `path` is the list's. */
export const activeAction = <R extends { id: string; is_active: boolean }>(
  path: string,
  own: Partial<QuickAction<R>> = {},
): QuickAction<R> => ({
  name: 'active',
  title: msg('Activate'),
  checked: (row) => row.is_active,
  run: async (row, { checked }) => {
    await api.patch(`${path}${row.id}/`, { is_active: checked })
    showSuccess(t('Saved'))
  },
  ...own,
})
