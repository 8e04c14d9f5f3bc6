import { DialogForm } from '../../../generic/form/DialogForm.tsx'
import type { FormFieldView, FormValues } from '../../../generic/view/form-view.ts'
import { msg, t } from '../../../lib/i18n.ts'

const isOutside = ({ secret_source }: FormValues) => Boolean(secret_source)

/** The place of a secret that is kept outside; without a source it is kept here. */
export const SOURCE_FIELDS: readonly FormFieldView[] = [
  { name: 'secret_source', help: msg('The secret is fetched from there at each connection. None: it is stored here.') },
  { name: 'secret_path', visibleWhen: isOutside, required: isOutside },
  { name: 'secret_field', visibleWhen: isOutside, required: isOutside },
]

interface SourceFormProps {
  path: string
  account: { secret_source: string | null; secret_path: string; secret_field: string }
  onCancel: () => void
  save: (body: unknown) => Promise<void>
}

/** Where the secret of an account is (docs/secret-sources.md). */
export function SourceForm({ path, account, onCancel, save }: SourceFormProps) {
  const { secret_source, secret_path, secret_field } = account
  return (
    <DialogForm
      path={path}
      mode="update"
      fields={SOURCE_FIELDS}
      initial={{ secret_source, secret_path, secret_field }}
      submitText={t('Confirm')}
      onClose={onCancel}
      save={(body) => save({ secret_source: null, ...(body as FormValues) })}
    />
  )
}
