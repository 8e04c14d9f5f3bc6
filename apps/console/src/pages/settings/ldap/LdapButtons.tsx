import { Button } from '../../../design/Button.tsx'
import { t } from '../../../lib/i18n.ts'
import { FormTest } from '../TestButton.tsx'
import { testLdap } from './ldap-calls.ts'

export interface LdapButtonsProps {
  onLogin: () => void
  onUsers: () => void
}

/** Beside Submit: tests what the form shows, saved or not. */
export function LdapButtons({ onLogin, onUsers }: LdapButtonsProps) {
  return (
    <FormTest
      words={t('Test connection')}
      test={({ AUTH_LDAP_BIND_PASSWORD: password, AUTH_LDAP_USER_ATTR_MAP: map, ...rest }) =>
        testLdap('config', {
          ...rest,
          // An empty one means the one that is saved.
          AUTH_LDAP_BIND_PASSWORD: password ?? '',
          AUTH_LDAP_USER_ATTR_MAP: JSON.stringify(map),
        })
      }
    >
      <Button onClick={onLogin}>{t('Test login')}</Button>
      <Button onClick={onUsers}>{t('Bulk import')}</Button>
    </FormTest>
  )
}
