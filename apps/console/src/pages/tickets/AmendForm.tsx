import { type Ticket, ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { useMemo, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { LazyForm } from '../../generic/form/lazy-form.ts'
import { formGroups } from '../../generic/view/form-groups.ts'
import type { FormContext, FormValues } from '../../generic/view/form-view.ts'
import { useMetadata } from '../../generic/view/metadata.ts'
import { ApiError, api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { amendedFields, asForm, changedOnly } from './requests/amended-request.ts'
import { applicationRequest } from './requests/application-request.ts'
import { assetRequest } from './requests/asset-request.ts'

interface AmendFormProps {
  ticket: Ticket
  submitText: string
  onDirty: (dirty: boolean) => void
  onCancel: () => void
  /** What follows once the changes are stored, or where there are none. */
  onAmended: (hasChanged: boolean) => Promise<void>
}

/** The content of a request, to be changed by those who decide it. */
export function AmendForm({ ticket: row, submitText, onDirty, onCancel, onAmended }: AmendFormProps) {
  const request = row.type === 'apply_application' ? applicationRequest : assetRequest
  const metadata = useMetadata(`${ticket.path}?action=open&type=${row.type}`)
  const remote = metadata.data?.actions.POST
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
    const hasChanged = Object.keys(body as object).length > 0
    try {
      if (hasChanged) await api.put(`${ticket.path}${row.id}/amend/`, { meta: body }, { quiet: true })
    } catch (error) {
      // A value in `meta` is a field of this form.
      const meta = error instanceof ApiError ? error.fields?.meta : undefined
      if (error instanceof ApiError && typeof meta === 'object' && meta !== null && !Array.isArray(meta))
        throw new ApiError(error.status, meta as Record<string, unknown>, error.message)
      throw error
    }
    await onAmended(hasChanged)
  }
  if (metadata.isError) return <LoadFailed error={metadata.error} onRetry={() => void metadata.refetch()} />
  if (!remote) return <Skeleton lines={6} />
  return (
    <LazyForm
      groups={groups}
      initial={initial}
      context={context}
      view={{ toBody: (values: FormValues) => changedOnly(initial, values) }}
      onDirty={onDirty}
      submitText={submitText}
      submitOnly
      extraButtons={<Button onClick={onCancel}>{t('Cancel')}</Button>}
      save={save}
    />
  )
}
