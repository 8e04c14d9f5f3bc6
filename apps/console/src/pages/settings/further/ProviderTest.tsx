import { useState } from 'react'
import { useParams } from 'react-router'
import { Button } from '../../../design/Button.tsx'
import { showError } from '../../../design/dialogs/feedback.tsx'
import { useFormValues } from '../../../generic/form/edited-form.ts'
import type { FormFieldView, FormValues, WidgetProps } from '../../../generic/view/form-view.ts'
import { api, errorText } from '../../../lib/api.ts'
import { msg, t } from '../../../lib/i18n.ts'
import { FormTest } from '../TestButton.tsx'
import { testSettings } from '../use-settings-test.ts'

/** A button in the place of a field. */
export const testField = (widget: FormFieldView['widget'] & {}): FormFieldView => ({
  name: 'connection_test',
  label: '',
  widget,
  local: { type: 'string' },
})

/** Has the server try what the form shows, saved or not. */
export function ProviderTest({ of: { path } }: { of: { path: string } }) {
  const { id } = useParams()
  return (
    <FormTest
      words={t('Test connection')}
      test={(values) => testSettings(`${path}test/`, { ...values, ...(id ? { id } : {}) })}
    />
  )
}

/** Fills endpoints in from what the provider says of itself. */
export const discoveryField = (widget: FormFieldView['widget'] & {}): FormFieldView => ({
  name: 'discovery',
  label: '',
  help: msg('Reads /.well-known/openid-configuration below the provider endpoint'),
  widget,
  local: { type: 'string' },
  // The other fields take the found values.
  onChange: (found) => ({ ...(found as FormValues), discovery: undefined }),
})

type DiscoveryProps = Pick<WidgetProps<FormValues>, 'onChange'> & { of: { path: string } }

export function Discovery({ onChange, of: { path } }: DiscoveryProps) {
  const { issuer, ignore_ssl_verification } = useFormValues()
  const [busy, setBusy] = useState(false)
  const read = async () => {
    setBusy(true)
    try {
      const asked = { issuer, ignore_ssl_verification: ignore_ssl_verification === true }
      onChange?.(await api.post<FormValues>(`${path}discover/`, asked, { quiet: true }))
    } catch (error) {
      showError(errorText(error))
    }
    setBusy(false)
  }
  return (
    <Button loading={busy} disabled={!issuer} onClick={() => void read()}>
      {t('Fill in from the provider')}
    </Button>
  )
}
