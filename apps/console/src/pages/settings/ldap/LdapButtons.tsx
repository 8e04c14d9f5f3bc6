import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { showError, showSuccess } from '../../../design/feedback.tsx'
import { useEditedForm } from '../../../generic/form/edited-form.ts'
import { t } from '../../../lib/i18n.ts'
import { testLdap } from './ldap-calls.ts'

export interface LdapButtonsProps {
  onLogin: () => void
  onUsers: () => void
}

/** Beside Submit: tests what the form shows, saved or not. */
export function LdapButtons({ onLogin, onUsers }: LdapButtonsProps) {
  const { validValues } = useEditedForm()
  const [busy, setBusy] = useState(false)
  const test = async () => {
    const values = validValues()
    if (!values) return
    setBusy(true)
    const { AUTH_LDAP_BIND_PASSWORD: password, AUTH_LDAP_USER_ATTR_MAP: map, ...rest } = values
    const { good, text } = await testLdap('config', {
      ...rest,
      // An empty one means the one that is saved.
      AUTH_LDAP_BIND_PASSWORD: password ?? '',
      AUTH_LDAP_USER_ATTR_MAP: JSON.stringify(map),
    })
    setBusy(false)
    if (good) showSuccess(text)
    else showError(text)
  }
  return (
    <>
      <Button loading={busy} onClick={() => void test()}>
        {t('Test connection')}
      </Button>
      <Button onClick={onLogin}>{t('Test login')}</Button>
      <Button onClick={onUsers}>{t('Bulk import')}</Button>
    </>
  )
}
