import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { showError } from '../../design/dialogs/feedback.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { t } from '../../lib/i18n.ts'
import { AmendDialog } from './AmendDialog.tsx'
import { DecisionDialog } from './DecisionDialog.tsx'
import { decidesOn, isWhole } from './decision.ts'
import { isRequest } from './ticket-facts.tsx'

/** In the head of a ticket, for those whom it waits for: both decisions, each with a comment. */
export function Decision({ row, refresh }: DetailProps<Ticket>) {
  const [deciding, setDeciding] = useState<'approve' | 'reject'>()
  const [isAmending, setAmending] = useState(false)
  if (!decidesOn(row)) return null
  const approve = () =>
    isWhole(row)
      ? setDeciding('approve')
      : showError(
          row.type === 'apply_application'
            ? t('The ticket names no applications or no system users, so there is nothing to allow')
            : t('The ticket names no assets or no system users, so there is nothing to allow'),
        )
  return (
    <>
      <Button type="primary" onClick={approve}>
        {t('Accept@@ticket')}
      </Button>
      <Button danger onClick={() => setDeciding('reject')}>
        {t('Reject@@ticket')}
      </Button>
      {isRequest(row) && <Button onClick={() => setAmending(true)}>{t('Change@@ticket')}</Button>}
      {isAmending && <AmendDialog ticket={row} refresh={refresh} onClose={() => setAmending(false)} />}
      {deciding && (
        <DecisionDialog ticket={row} verdict={deciding} refresh={refresh} onClose={() => setDeciding(undefined)} />
      )}
    </>
  )
}
