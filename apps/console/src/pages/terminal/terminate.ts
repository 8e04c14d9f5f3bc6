import { confirmDanger, showSuccess } from '../../design/dialogs/feedback.tsx'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'

/**
 * Asks, then orders the end of a running session. `by` says in which right: of who administers
 * sessions, or of who let it in by a ticket.
 */
export function askToTerminate(
  { id, user, asset }: { id: string; user: string; asset: string },
  by: 'kill-session' | 'kill-session-for-ticket',
  ordered: () => void,
): void {
  confirmDanger({
    title: t('Terminate the session of {{user}} on {{asset}}?', { user, asset }),
    content: t('Anything running in it will be interrupted.'),
    okText: t('Terminate'),
    onOk: async () => {
      await api.post(`/api/v1/terminal/tasks/${by}/`, [id])
      showSuccess(t('The session is being terminated'))
      ordered()
    },
  })
}
