import { showSuccess } from '../design/dialogs/feedback.tsx'
import { askChange } from '../generic/change-preview/ask-change.tsx'
import type { BulkAction } from '../generic/view/actions.ts'
import { api } from '../lib/api.ts'
import { atOnce, withValues } from '../lib/at-once.ts'
import { msg, t } from '../lib/i18n.ts'

interface Switched {
  path: string
  /** Whether the rows decide who may do what, so that a question says what changes. */
  bearsRights?: boolean | undefined
}

/** Disable and Activate for the ticked rows of a resource with `is_active`. */
export function bulkActive({ path, bearsRights = false }: Switched): BulkAction[] {
  const action = (name: string, title: string, is_active: boolean): BulkAction => ({
    name,
    title,
    asks: bearsRights,
    run: async (ids, _rows, { refresh }) => {
      const body = ids.map((id) => ({ id, is_active }))
      const call = { method: 'PATCH', address: path, body } as const
      if (bearsRights && !(await askChange(questionFor(is_active, ids.length), call))) return
      await atOnce(path, withValues(ids, { is_active }), () => api.patch(path, body))
      showSuccess(t('Saved'))
      await refresh()
    },
  })
  return [action('disable', msg('Disable'), false), action('activate', msg('Activate'), true)]
}

const questionFor = (isActive: boolean, count: number) =>
  isActive
    ? { title: t('Activate {{count|row|rows}}?', { count }), okText: t('Activate') }
    : { title: t('Disable {{count|row|rows}}?', { count }), okText: t('Disable') }
