import { ask } from '../../../design/dialogs/feedback.tsx'
import type { QuickAction } from '../../../generic/view/actions.ts'
import type { Row } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { activeAction } from '../../active-action.ts'

type Origin = Row & { id: string; name: string; is_active: boolean }

/** Switches a directory or provider: switching it off shuts its people out, which is asked first. */
export function switchPeople<R extends Origin>(resource: { path: string }): QuickAction<R>['run'] {
  const switching = activeAction<R>(resource)
  return async (row, context) => {
    const question = {
      title: t('Switch {{name}} off?', { name: row.name }),
      content: t('Its people cannot sign in, and what they have open ends. Nothing is deleted.'),
      okText: t('Switch off'),
      isDanger: true,
    }
    if (context.checked || (await ask(question))) await switching.run(row, context)
  }
}
