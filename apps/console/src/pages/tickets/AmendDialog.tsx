import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { ticketComment } from '@sallyport/contract/resources/tickets/ticket-comment.ts'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { LazyDialog } from '../../design/dialogs/lazy-dialog.tsx'
import { useDialogClose } from '../../generic/form/use-dialog-close.ts'
import { t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { AmendForm } from './AmendForm.tsx'

export interface AmendDialogProps {
  ticket: Ticket
  refresh: () => Promise<void>
  onClose: () => void
}

/** An approver changes what it asks for; the applicant sees what was changed. */
export function AmendDialog({ ticket, refresh, onClose }: AmendDialogProps) {
  const { close, setDirty } = useDialogClose(onClose)
  const amended = async (hasChanged: boolean) => {
    onClose()
    if (!hasChanged) return
    showSuccess(t('Changed@@ticket'))
    await Promise.all([forget(ticketComment.path), refresh()])
  }
  return (
    <LazyDialog title={t('Change what is asked for')} width={720} onClose={close}>
      <AmendForm
        ticket={ticket}
        submitText={t('Change@@ticket')}
        onDirty={setDirty}
        onCancel={close}
        onAmended={amended}
      />
    </LazyDialog>
  )
}
