import { t } from '../lib/i18n.ts'

/** Where a second factor is asked for: what somebody does who has it no longer. */
export const LostFactor = () => (
  <details className="lost-factor">
    <summary>{t('Lost your device?')}</summary>
    <p>{t('Use another method if you have one, or ask an administrator to reset your MFA. Then set it up again.')}</p>
  </details>
)
