import { useMemo, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { useDialogGuard } from '../../design/dialogs/dialog-guard.ts'
import { ask, showError } from '../../design/dialogs/feedback.tsx'
import { CheckboxGroup } from '../../design/inputs/CheckboxGroup.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { ApiError, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { formGroups } from '../view/form-groups.ts'
import type { FormContext, FormFieldView, FormValues } from '../view/form-view.ts'
import { useMetadata } from '../view/metadata.ts'
import { isEmpty } from './check-field.ts'
import { ResourceForm, type ResourceFormProps } from './ResourceForm.tsx'
import { useDialogClose } from './use-dialog-close.ts'

export interface BulkUpdateFormProps {
  path: string
  fields: readonly (string | FormFieldView)[]
  initial: Readonly<FormValues>
  onCancel: () => void
  change?: ResourceFormProps['change']
  /** Sends the ticked fields. A 400 that names fields is put on them. */
  save: (change: FormValues) => Promise<void>
}

const CONTEXT: FormContext = { mode: 'update', row: undefined, query: new URLSearchParams() }

/**
 * Check boxes for the fields that shall change, all ticked at first, and the form of those that
 * are. Asks before it empties a field of all rows.
 */
export function BulkUpdateForm({ path, fields, initial, onCancel, change, save }: BulkUpdateFormProps) {
  const metadata = useMetadata(path)
  const actions = metadata.data?.actions
  const remote = actions?.PUT ?? actions?.PATCH
  const [chosen, setChosen] = useState<readonly string[]>()
  const offered = useMemo(
    () => (remote ? formGroups({ groups: [{ title: '', fields }] }, remote).flatMap((group) => group.fields) : []),
    [remote, fields],
  )
  const ticked = chosen ?? offered.map(({ name }) => name)
  const mayEmpty = async (change: FormValues) => {
    const emptied = offered.filter(({ name }) => Object.hasOwn(change, name) && isEmpty(change[name]))
    if (!emptied.length) return true
    return ask({
      title: t('Clear these fields of all selected rows?'),
      content: emptied.map(({ label }) => t(label)).join(', '),
      okText: t('Confirm'),
    })
  }
  const { close, setDirty } = useDialogClose(onCancel)
  useDialogGuard(close)
  if (metadata.isError) return <LoadFailed error={metadata.error} onRetry={() => void metadata.refetch()} />
  if (!remote) return <span className="loading">{t('Loading')}</span>
  return (
    <div className="bulk-update">
      <fieldset className="bare">
        <legend>{t('Choose fields')}</legend>
        <CheckboxGroup
          value={[...ticked]}
          options={offered.map(({ name, label }) => ({ value: name, label: t(label) }))}
          onChange={setChosen}
        />
        <p>{t('Only ticked fields are changed.')}</p>
      </fieldset>
      {ticked.length === 0 ? (
        <Button onClick={close}>{t('Cancel')}</Button>
      ) : (
        <ResourceForm
          groups={[{ title: '', fields: offered.filter(({ name }) => ticked.includes(name)) }]}
          initial={initial}
          context={CONTEXT}
          view={{}}
          onDirty={setDirty}
          change={change}
          submitText={t('Confirm')}
          submitOnly
          extraButtons={<Button onClick={close}>{t('Cancel')}</Button>}
          save={async (body) => {
            const change = body as FormValues
            if (!(await mayEmpty(change))) return
            try {
              await save(change)
            } catch (error) {
              if (!(error instanceof ApiError && error.fields)) showError(`${t('Update failed')}: ${errorText(error)}`)
              throw error
            }
          }}
        />
      )}
    </div>
  )
}
