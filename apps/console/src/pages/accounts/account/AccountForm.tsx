import { useMemo } from 'react'
import { Button } from '../../../design/Button.tsx'
import { Skeleton } from '../../../design/Skeleton.tsx'
import { ResourceForm } from '../../../generic/form/ResourceForm.tsx'
import { useDialogClose } from '../../../generic/form/use-dialog-close.ts'
import { formGroups } from '../../../generic/view/form-groups.ts'
import type { FormContext } from '../../../generic/view/form-view.ts'
import { useMetadata } from '../../../generic/view/metadata.ts'
import { t } from '../../../lib/i18n.ts'

const CONTEXT: FormContext = { mode: 'update', row: undefined, query: new URLSearchParams() }

const FIELDS = [
  { name: 'password', widget: 'password' },
  { name: 'private_key', widget: 'key-file' },
  { name: 'passphrase', widget: 'password' },
] as const

interface AccountFormProps {
  path: string
  onCancel: () => void
  /** Sends what was filled in; what is left empty stays as it is. */
  save: (body: unknown) => Promise<void>
}

/** New secrets of an account (contract/accounts.yaml ui, "Update"). */
export function AccountForm({ path, onCancel, save }: AccountFormProps) {
  const actions = useMetadata(path).data?.actions
  const remote = actions?.PATCH ?? actions?.PUT
  const groups = useMemo(
    () => (remote ? formGroups({ groups: [{ title: '', fields: FIELDS }] }, remote) : []),
    [remote],
  )
  const { close, setDirty } = useDialogClose(onCancel)
  if (!remote) return <Skeleton lines={4} />
  return (
    <ResourceForm
      groups={groups}
      initial={{}}
      context={CONTEXT}
      view={{}}
      onDirty={setDirty}
      submitText={t('Confirm')}
      submitOnly
      extraButtons={<Button onClick={close}>{t('Cancel')}</Button>}
      save={save}
    />
  )
}
