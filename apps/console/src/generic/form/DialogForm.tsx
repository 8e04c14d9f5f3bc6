import { useMemo } from 'react'
import { Button } from '../../design/Button.tsx'
import { useDialogGuard } from '../../design/dialogs/dialog-guard.ts'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { t } from '../../lib/i18n.ts'
import { formGroups } from '../view/form-groups.ts'
import type { FormContext, FormGroup, FormValues } from '../view/form-view.ts'
import { useMetadata } from '../view/metadata.ts'
import { LazyForm } from './lazy-form.ts'
import { useDialogClose } from './use-dialog-close.ts'

interface DialogFormProps {
  /** Address of the resource that has these fields. */
  path: string
  mode: FormContext['mode']
  fields: FormGroup['fields']
  /** Values to begin with; of none where it is left out. */
  initial?: FormValues
  submitText: string
  onClose: () => void
  save: (body: unknown) => Promise<void>
}

const NOTHING: FormValues = {}

/** Some fields of a resource in a dialog, which asks before it closes over what was typed. */
export function DialogForm({ path, mode, fields, initial = NOTHING, submitText, onClose, save }: DialogFormProps) {
  const metadata = useMetadata(path)
  const actions = metadata.data?.actions
  const remote = mode === 'create' ? actions?.POST : (actions?.PATCH ?? actions?.PUT)
  const groups = useMemo(
    () => (remote ? formGroups({ groups: [{ title: '', fields }] }, remote) : []),
    [remote, fields],
  )
  const context = useMemo((): FormContext => ({ mode, row: undefined, query: new URLSearchParams() }), [mode])
  const { close, setDirty } = useDialogClose(onClose)
  useDialogGuard(close)
  if (metadata.isError) return <LoadFailed error={metadata.error} onRetry={() => void metadata.refetch()} />
  if (!remote) return <Skeleton lines={4} />
  return (
    <LazyForm
      groups={groups}
      initial={initial}
      context={context}
      view={{}}
      onDirty={setDirty}
      submitText={submitText}
      submitOnly
      extraButtons={<Button onClick={close}>{t('Cancel')}</Button>}
      save={save}
    />
  )
}
