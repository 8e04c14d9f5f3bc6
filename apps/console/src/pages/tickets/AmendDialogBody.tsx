import { type Ticket, ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { ticketComment } from '@sallyport/contract/resources/tickets/ticket-comment.ts'
import { useMemo, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { showSuccess } from '../../design/feedback.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Modal } from '../../design/Modal.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { ResourceForm } from '../../generic/form/ResourceForm.tsx'
import { useDialogClose } from '../../generic/form/use-dialog-close.ts'
import { formGroups } from '../../generic/view/form-groups.ts'
import type { FormContext, FormValues } from '../../generic/view/form-view.ts'
import { useMetadata } from '../../generic/view/metadata.ts'
import { ApiError, api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { amendedFields, asForm, changedOnly } from './requests/amended-request.ts'
import { applicationRequest } from './requests/application-request.ts'
import { assetRequest } from './requests/asset-request.ts'

export interface AmendDialogProps {
  ticket: Ticket
  refresh: () => Promise<void>
  onClose: () => void
}

/** An approver changes what it asks for; the applicant sees what was changed. */
export function AmendDialogBody({ ticket: row, refresh, onClose }: AmendDialogProps) {
  const request = row.type === 'apply_application' ? applicationRequest : assetRequest
  const metadata = useMetadata(`${ticket.path}?action=open&type=${row.type}`)
  const remote = metadata.data?.actions.POST
  const { close, setDirty } = useDialogClose(onClose)
  const [context] = useState<FormContext>(() => ({ mode: 'update', row: undefined, query: new URLSearchParams() }))
  const groups = useMemo(
    () =>
      remote
        ? formGroups(
            { groups: [{ title: '', fields: amendedFields(request) }] },
            { ...remote, ...remote.meta?.children },
          )
        : [],
    [remote, request],
  )
  const [initial] = useState(() => asForm(row))
  const save = async (body: unknown) => {
    try {
      await api.put(`${ticket.path}${row.id}/amend/`, { meta: body }, { quiet: true })
    } catch (error) {
      // A value in `meta` is a field of this form.
      const meta = error instanceof ApiError ? error.fields?.meta : undefined
      if (error instanceof ApiError && typeof meta === 'object' && meta !== null && !Array.isArray(meta))
        throw new ApiError(error.status, meta as Record<string, unknown>, error.message)
      throw error
    }
    showSuccess(t('Changed@@ticket'))
    onClose()
    await Promise.all([forget(ticketComment.path), refresh()])
  }
  return (
    <Modal open title={t('Change what is asked for')} width={720} footer={null} onCancel={close}>
      {metadata.isError ? (
        <LoadFailed error={metadata.error} onRetry={() => void metadata.refetch()} />
      ) : remote ? (
        <ResourceForm
          groups={groups}
          initial={initial}
          context={context}
          view={{ toBody: (values: FormValues) => changedOnly(initial, values) }}
          onDirty={setDirty}
          submitText={t('Change@@ticket')}
          submitOnly
          extraButtons={<Button onClick={close}>{t('Cancel')}</Button>}
          save={save}
        />
      ) : (
        <Skeleton lines={6} />
      )}
    </Modal>
  )
}
