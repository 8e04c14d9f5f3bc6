import { useState } from 'react'
import { request } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import type { PublicSettings } from '../../session/session.ts'
import { Card } from '../Card.tsx'
import { StepForm } from '../StepForm.tsx'
import { PasswordField } from './PasswordField.tsx'

/**
 * Asks somebody who is signed in for their password once more; the server says where it leads
 * (docs/rules/authentication.md#login_page).
 */
export function PasswordPage({ settings }: { settings: PublicSettings }) {
  const [password, setPassword] = useState('')
  const address = location.pathname + location.search
  return (
    <Card settings={settings} heading={t('Verify password')}>
      <StepForm
        onSubmit={async () =>
          (await request<{ next: string }>('POST', address, { body: { password }, quiet: true })).next
        }
        onRefused={() => setPassword('')}
        focus="password"
        button={t('Confirm')}
        isReady
      >
        <p>{t('Enter the password that you sign in with, to go on.')}</p>
        <PasswordField
          id="password"
          label={t('Password')}
          autoComplete="current-password"
          autoFocus
          value={password}
          onChange={setPassword}
        />
      </StepForm>
      <p className="beside">
        <a href="/ui/">{t('Back to the console')}</a>
      </p>
    </Card>
  )
}
