import { DialogForm } from '../../../generic/form/DialogForm.tsx'
import { t } from '../../../lib/i18n.ts'

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

/** New secrets of an account (docs/rules/accounts.md#view_secret). */
export function AccountForm({ path, onCancel, save }: AccountFormProps) {
  return (
    <DialogForm path={path} mode="update" fields={FIELDS} submitText={t('Confirm')} onClose={onCancel} save={save} />
  )
}
