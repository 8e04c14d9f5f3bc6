import { showSuccess } from '../design/dialogs/feedback.tsx'
import { askChange } from '../generic/change-preview/ask-change.tsx'
import type { QuickAction } from '../generic/view/actions.ts'
import { api } from '../lib/api.ts'
import { atOnce, withValues } from '../lib/at-once.ts'
import { msg, t } from '../lib/i18n.ts'

interface Switched<R> {
  /** That of the list. */
  path: string
  /** The name of a row, where rows decide who may do what: then a question says what changes. */
  asksFor?: (row: R) => string
}

/** The switch on the details of a row that says whether it is active. */
export const activeAction = <R extends { id: string; is_active: boolean }>(
  { path, asksFor }: Switched<R>,
  own: Partial<QuickAction<R>> = {},
): QuickAction<R> => ({
  name: 'active',
  title: msg('Activate'),
  checked: (row) => row.is_active,
  run: async (row, { checked }) => {
    const values = { is_active: checked }
    const address = `${path}${row.id}/`
    const call = { method: 'PATCH', address, body: values } as const
    if (asksFor && !(await askChange(questionFor(checked, asksFor(row)), call))) return
    await atOnce(path, withValues([row.id], values), () => api.patch(address, values))
    showSuccess(t('Saved'))
  },
  ...own,
})

const questionFor = (isActive: boolean, name: string) =>
  isActive
    ? { title: t('Activate "{{name}}"?', { name }), okText: t('Activate') }
    : { title: t('Disable "{{name}}"?', { name }), okText: t('Disable') }
