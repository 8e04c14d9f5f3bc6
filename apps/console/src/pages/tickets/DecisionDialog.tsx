import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { ticket as ticketDefinition } from '@sallyport/contract/resources/tickets/ticket.ts'
import { ticketComment } from '@sallyport/contract/resources/tickets/ticket-comment.ts'
import { useState } from 'react'
import { DialogButtons } from '../../design/dialogs/DialogButtons.tsx'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { LazyDialog } from '../../design/dialogs/lazy-dialog.tsx'
import { LongInput } from '../../design/inputs/LongInput.tsx'
import { ChangePreview } from '../../generic/change-preview/ChangePreview.tsx'
import { useDialogClose } from '../../generic/form/use-dialog-close.ts'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { AmendForm } from './AmendForm.tsx'
import { AskedCommand } from './AskedCommand.tsx'
import { MAX_CHARACTERS } from './decision.ts'
import { isRequest, metaOf } from './ticket-facts.tsx'

export interface DecisionDialogProps {
  ticket: Ticket
  verdict: 'approve' | 'reject'
  refresh: () => Promise<void>
  onClose: () => void
}

/**
 * Asks for a comment, which goes before the decision and stays in the box when that is refused. An
 * approver may allow less than is asked for in the same step.
 */
export function DecisionDialog({ ticket, verdict, refresh, onClose }: DecisionDialogProps) {
  const [text, setText] = useState('')
  const [busy, setBusy] = useState(false)
  const [isNarrowing, setNarrowing] = useState(false)
  const { close, setDirty } = useDialogClose(onClose)
  const approves = verdict === 'approve'
  const isCommand = ticket.type === 'command_confirm'
  const where = {
    asset: String(metaOf(ticket, 'apply_run_asset') ?? ''),
    systemUser: String(metaOf(ticket, 'apply_run_system_user') ?? ''),
  }
  const approval = `${ticketDefinition.path}${ticket.id}/approve/`
  const decide = async () => {
    setBusy(true)
    try {
      if (text.trim()) {
        await api.post(ticketComment.path, { body: text.trim() }, { query: { ticket_id: ticket.id } })
        setText('')
      }
      await api.put(
        `${ticketDefinition.path}${ticket.id}/${verdict}/`,
        approves && isRequest(ticket) ? { meta: {} } : {},
      )
      showSuccess(approves ? t('Approved@@ticket') : t('Rejected@@ticket'))
      onClose()
    } catch {
      // The client has shown why.
      setBusy(false)
    }
    await Promise.all([forget(ticketComment.path), refresh()])
  }
  return (
    <LazyDialog
      title={
        isCommand
          ? approves
            ? t('Let this command run?')
            : t('Refuse this command?')
          : approves
            ? t('Accept “{{title}}”?', { title: ticket.title })
            : t('Reject “{{title}}”?', { title: ticket.title })
      }
      width={isNarrowing ? 720 : 520}
      onClose={close}
      foot={
        !isNarrowing && (
          <DialogButtons
            okText={approves ? t('Accept@@ticket') : t('Reject@@ticket')}
            isDanger={!approves}
            isPending={busy}
            onCancel={close}
            onOk={() => void decide()}
          />
        )
      }
    >
      {isCommand && (
        <>
          <AskedCommand row={ticket} />
          <p>
            {approves
              ? t('It runs at once on {{asset}} as {{systemUser}}, once, exactly as shown here.', where)
              : t('It is not run. {{person}} sees who rejected it.', { person: ticket.applicant_display })}
          </p>
        </>
      )}
      <LongInput
        autoFocus
        aria-label={t('Your comment')}
        placeholder={t('Your comment (optional)')}
        rows={3}
        maxLength={MAX_CHARACTERS}
        value={text}
        onChange={setText}
      />
      {approves && isRequest(ticket) && !isNarrowing && (
        <ChangePreview call={{ method: 'PUT', address: approval, body: { meta: {} } }} />
      )}
      {approves && isRequest(ticket) && !isNarrowing && (
        <p>
          <button type="button" className="link" onClick={() => setNarrowing(true)}>
            {t('Allow less, or for a shorter time…')}
          </button>
        </p>
      )}
      {isNarrowing && (
        <AmendForm
          ticket={ticket}
          submitText={t('Accept@@ticket')}
          onDirty={setDirty}
          onCancel={close}
          onAmended={decide}
        />
      )}
    </LazyDialog>
  )
}
